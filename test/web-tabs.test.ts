/** Without TLS a browser opens six connections to a host, for all its tabs together. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, Window } from "../src/testing/browser.ts";
import { composer, log, say, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const TABS = 8;
const visibility = (page: Page): Promise<string> => page.evaluate("document.visibilityState");

test("of eight tabs in a window each loads, the one that is seen hears at once, and any other when it is shown", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await using window = await Window.open();
  await hub.signIn(window);
  const tabs: Page[] = [];
  for (let at = 0; at < TABS; at += 1) {
    const tab = await window.context.newPage();
    tabs.push(tab);
    await tab.bringToFront();
    await tab.goto(`${hub.url}/chat/scout`);
    await composer(tab).waitFor();
  }
  await expect
    .poll(async () => (await Promise.all(tabs.map(visibility))).filter((it) => it === "visible").length)
    .toBe(1);
  // The one that is seen, and the one that was seen before it.
  await expect.poll(() => hub.streams()).toBe(2);

  for (const [at, tab] of tabs.entries()) {
    await scout.say(`before ${at}`);
    await tab.bringToFront();
    await log(tab).getByText(`before ${at}`, { exact: true }).waitFor();
    await scout.say(`now ${at}`);
    await log(tab).getByText(`now ${at}`, { exact: true }).waitFor();
  }
  const [tab] = tabs;
  if (!tab) throw new Error("there is no tab");
  await tab.bringToFront();
  await say(tab, "heard everything");
  await log(tab).getByText("heard everything").waitFor();
  const expected = tabs.flatMap((_, at) => [`before ${at}`, `now ${at}`]);
  await expect
    .poll(() => log(tab).locator("[data-key] .prose").allInnerTexts())
    .toEqual([...expected, "heard everything"]);
  expect(await tab.getByText(/Connection lost/).count()).toBe(0);
});

test("eight windows that are all seen at once all load, and all hear, with a connection to spare", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  const pages = [page];
  while (pages.length < TABS) {
    const other = await page.context().newPage();
    pages.push(other);
    await other.goto(`${hub.url}/chat/scout`);
    await composer(other).waitFor();
  }
  await scout.say("to all of you");
  await Promise.all(pages.map((each) => log(each).getByText("to all of you").waitFor()));
  await expect.poll(() => hub.streams()).toBeLessThan(6);

  // A place that becomes free is taken.
  await Promise.all(pages.splice(0, 4).map((each) => each.close()));
  await expect.poll(() => hub.streams()).toBe(4);
  await scout.say("to those who are left");
  await Promise.all(pages.map((each) => log(each).getByText("to those who are left").waitFor()));
});

test("where the browser knows no locks, a tab that is hidden holds no connection and catches up when it is shown", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await using window = await Window.open();
  await window.context.addInitScript("delete Navigator.prototype.locks");
  const first = await hub.signIn(window);
  const tab = await window.context.newPage();
  await tab.goto(`${hub.url}/chat/scout`);
  await tab.bringToFront();
  await composer(tab).waitFor();
  expect(await tab.evaluate("'locks' in navigator")).toBe(false);
  await expect.poll(() => hub.streams()).toBe(1);
  await first.bringToFront();
  await expect.poll(() => visibility(tab)).toBe("hidden");
  await scout.say("while you looked elsewhere");
  await log(first).getByText("while you looked elsewhere").waitFor();
  await expect.poll(() => hub.streams()).toBe(1);
  await tab.bringToFront();
  await log(tab).getByText("while you looked elsewhere").waitFor();
});
