import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { composer, mailRow, mailRows, sendMail, WebHub } from "../src/testing/web.ts";
import { KEYS } from "../web/src/lib/mail/keys.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const palette = (page: Page) => page.getByRole("dialog", { name: "All commands" });
const field = (page: Page) => palette(page).getByRole("combobox");
const offered = (page: Page) => palette(page).getByRole("option");
const shown = async (page: Page, subjects: string[]) => expect.poll(() => mailRows(page)).toEqual(subjects);

async function openPalette(page: Page): Promise<void> {
  // Before the page is there nobody hears the key.
  await page.locator("#main").waitFor();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
}

/** Types a bit of what is meant, and Enter. */
async function command(page: Page, text: string): Promise<void> {
  await openPalette(page);
  await field(page).fill(text);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

test("Ctrl+K leads from any page to mailboxes, chats, what is to be written and what is looked for", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "apples", body: "red ones" });
  const { page, complaints, foreign } = await hub.signedIn({ at: "/settings" });
  // What is offered of an agent is there when the page knows it.
  await page.getByRole("link", { name: /scout/ }).waitFor();
  await command(page, "scout mail");
  await page.getByText("Viewing scout’s mail: nothing is marked read.").waitFor();
  await command(page, "chat scout");
  await composer(page).waitFor();
  await command(page, "archived");
  await page.getByRole("heading", { name: "Nothing archived" }).waitFor();
  await command(page, "write to sc");
  expect(await page.getByRole("combobox", { name: "To", exact: true }).inputValue()).toContain("scout");
  await command(page, "red ones");
  await shown(page, ["apples"]);
  await command(page, "look dark");
  await until(async () => (await page.evaluate("document.documentElement.dataset.theme")) === "dark");
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});

test("the commands of a page are offered on it alone, with their keys, and act on what one was at", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  for (const subject of ["one", "two"]) await sendMail(hub, scout, { subject, body: "text" });
  const { page } = await hub.signedIn();
  await openPalette(page);
  await offered(page).first().waitFor();
  expect(await offered(page).filter({ hasText: "This page" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.goto(`${hub.url}/mail`);
  await shown(page, ["two", "one"]);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await openPalette(page);
  await field(page).fill("archive");
  expect(await offered(page).first().locator("kbd").allTextContents()).toEqual(["e"]);
  await page.keyboard.press("Enter");
  await shown(page, ["two"]);
  await command(page, "undo");
  await shown(page, ["two", "one"]);
});

test("the arrows choose, the pointer too, and Escape leaves everything as it was", async () => {
  await using hub = await WebHub.open(browser);
  await hub.agent("scout");
  const { page } = await hub.signedIn({ at: "/mail" });
  await openPalette(page);
  await field(page).fill("look");
  const selected = () => palette(page).locator('[aria-selected="true"] .words').textContent();
  await expect.poll(selected).toBe("Look: as the system");
  await page.keyboard.press("ArrowUp");
  expect(await selected()).toBe("Search mail for “look”");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await selected()).toBe("Look: light");
  expect(await field(page).getAttribute("aria-activedescendant")).toBe(
    await palette(page).locator('[aria-selected="true"]').getAttribute("id"),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBeUndefined();
  await openPalette(page);
  await offered(page).filter({ hasText: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
});

test("Ctrl+K works while one types and where single keys are off; single keys do neither", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "one", body: "text" });
  const { page } = await hub.signedIn({ at: "/mail?compose=1" });
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("half a ");
  await text.press("Control+k");
  await field(page).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.type("jeck?");
  expect(await text.inputValue()).toBe("half a jeck?");

  await command(page, "single keys off");
  await page.goto(`${hub.url}/mail`);
  await shown(page, ["one"]);
  for (const { keys } of KEYS) for (const key of keys) await page.keyboard.press(key);
  await shown(page, ["one"]);
  expect([await page.getByRole("dialog").count(), new URL(page.url()).pathname]).toEqual([0, "/mail"]);
  await command(page, "single keys on");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
});

test("? lists exactly the keys that exist, and those that lead elsewhere do", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "one", body: "text" });
  const { page } = await hub.signedIn({ at: "/mail?folder=sent" });
  await page.getByRole("heading", { name: "Nothing sent" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  const listed = await page.getByRole("dialog", { name: "Keys" }).locator("dt").all();
  const keys = await Promise.all(listed.map((place) => place.locator("kbd").allTextContents()));
  expect(keys).toEqual([
    ...KEYS.map(({ keys }) => keys),
    ["g", "n"],
    ["g", "a"],
    ["g", "i"],
    ["g", "w"],
    ["g", "t"],
    ["g", "r"],
    ["g", "u"],
    ["g", "p"],
    ["?"],
    ["Ctrl", "K"],
  ]);
  await page.keyboard.press("Escape");

  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await shown(page, ["one"]);
  await page.keyboard.press("j");
  await page.keyboard.press("h");
  await page.getByRole("dialog", { name: "Snooze this mail" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("a");
  await mailRow(page, "one").getByText("Acknowledged").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await composer(page).waitFor();
});

test("the icon of the tab has the number that its title has, on every page, and none where nothing waits", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const urgent = (subject: string) => sendMail(hub, scout, { subject, body: "text", priority: "urgent" });
  const { page, complaints, foreign } = await hub.signedIn();
  const icon = () => page.evaluate<string>(`decodeURIComponent(document.querySelector('link[rel="icon"]').href)`);
  const number = async () => /<text[^>]*>([^<]*)<\/text>/.exec(await icon())?.[1];
  await page.goto(`${hub.url}/mail`);
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect(await icon()).toBe(`${hub.url}/favicon.svg`);
  await urgent("first");
  await urgent("second");
  await expect.poll(() => page.title()).toBe("(2) Your mail · Parley");
  await expect.poll(number).toBe("2");
  // The browser can draw it.
  const drawn = `new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = document.querySelector('link[rel="icon"]').href;
  })`;
  expect(await page.evaluate(drawn)).toBe(true);
  const { needs } = await hub.call<{ needs: { id: string; title: string }[] }>("need_list");
  await hub.call("mail_update", { id: needs.find(({ title }) => title === "first")?.id, action: "ack" });
  await expect.poll(() => page.title()).toBe("(1) Your mail · Parley");
  await expect.poll(number).toBe("1");
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Settings" }).click();
  await expect.poll(() => page.title()).toBe("(1) Settings · Parley");
  await page.goto(`${hub.url}/chat/scout`);
  await expect.poll(() => page.title()).toBe("(1) scout · Parley");
  await expect.poll(number).toBe("1");
  await hub.call("mail_update", { id: needs.find(({ title }) => title === "second")?.id, action: "ack" });
  await expect.poll(icon).toBe(`${hub.url}/favicon.svg`);
  expect(await page.title()).toBe("scout · Parley");
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});
