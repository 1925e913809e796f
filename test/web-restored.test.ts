/** A hub whose data is put back to an earlier copy, and one that is away for long, with a page open all the time. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { composer, KillableWebHub, log, say, sent } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const shown = (page: Page): Promise<string[]> => log(page).locator("[data-key] .prose").allInnerTexts();
test("a restored hub: what it no longer has leaves the page, and the talk goes on from there", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await say(page, "kept");
  await log(page).getByText("kept").waitFor();
  await sent(page);
  await hub.backup();
  await scout.say("lost by the restore");
  await log(page).getByText("lost by the restore").waitFor();
  await composer(page).waitFor();
  await say(page, "lost as well");
  await log(page).getByText("lost as well").waitFor();
  await sent(page);

  await hub.putBack();
  await expect.poll(() => shown(page)).toEqual(["kept"]);
  await page.getByRole("link", { name: /scout/ }).getByText("kept").waitFor();
  await composer(page).waitFor();
  await say(page, "after the restore");
  await sent(page);
  await scout.say("I am here");
  await expect.poll(() => shown(page)).toEqual(["kept", "after the restore", "I am here"]);
  await page.reload();
  await log(page).getByText("I am here").waitFor();
  expect(await shown(page)).toEqual(["kept", "after the restore", "I am here"]);
});

test("a restored hub that has written on before the page finds it again is not taken for the one it was", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const mason = await hub.agent("mason");
  const { page } = await hub.signedIn();
  await composer(page).waitFor();
  await hub.backup();
  await mason.say("mason's, lost");
  for (const text of ["one, lost", "two, lost"]) await scout.say(text);
  await log(page).getByText("two, lost").waitFor();
  await page.getByRole("link", { name: /mason/ }).getByText("mason's, lost").waitFor();

  await page.context().setOffline(true);
  await hub.putBack();
  await scout.say("written since");
  await page.context().setOffline(false);
  await expect.poll(() => shown(page)).toEqual(["written since"]);
  await page.getByText("mason's, lost").waitFor({ state: "detached" });
});

test("a restored hub that has never heard of the session asks to sign in again, and nothing of before is left", async () => {
  await using hub = await KillableWebHub.open(browser);
  await hub.agent("scout");
  await hub.backup();
  const { page } = await hub.signedIn();
  await say(page, "lost by the restore");
  await log(page).getByText("lost by the restore").waitFor();
  await sent(page);
  await hub.putBack();
  await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
  await page.goto(await hub.link());
  await composer(page).waitFor();
  expect(await page.getByText("lost by the restore").count()).toBe(0);
  await say(page, "anew");
  await log(page).getByText("anew").waitFor();
});

test("a hub that is away for an hour: the page says since when, keeps what it had, and has the rest when it is back", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  await page.clock.install();
  await page.goto(`${hub.url}/chat/scout`);
  await say(page, "before");
  await log(page).getByText("before").waitFor();
  await sent(page);
  await composer(page).fill("half a sentence");
  await hub.kill();
  const banner = page.getByText(/Connection lost at/);
  await banner.waitFor();
  const since = await banner.innerText();
  for (let minutes = 0; minutes < 60; minutes += 10) await page.clock.fastForward("10:00");
  expect(await banner.innerText()).toBe(since);
  expect(await shown(page)).toEqual(["before"]);

  await hub.restart();
  await scout.say("good morning");
  // The longest pause between two tries is half a minute.
  await page.clock.fastForward("00:31");
  await log(page).getByText("good morning").waitFor();
  await banner.waitFor({ state: "detached" });
  expect(await shown(page)).toEqual(["before", "good morning"]);
  expect(await composer(page).inputValue()).toBe("half a sentence");
});
