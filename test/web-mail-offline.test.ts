/** Mail that is sent from the page while the hub is away. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { KillableWebHub, mailRow, type Speaker, sendMail } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const KEPT = "Kept here. It is sent when the hub is back.";
const reply = (page: Page) => page.getByRole("textbox", { name: "Reply to scout" });
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const waiting = (page: Page) => page.getByRole("list", { name: "Waiting for the hub" });
const count = (page: Page, words: string) => page.getByRole("status").getByText(words, { exact: true });

async function away(hub: KillableWebHub, ...pages: Page[]): Promise<void> {
  await hub.kill();
  for (const page of pages) await page.getByText(/Connection lost at/).waitFor();
}

/** As when the network is back: nobody waits for the end of a pause. */
async function back(hub: KillableWebHub, ...pages: Page[]): Promise<void> {
  await hub.restart();
  for (const page of pages) await page.evaluate("dispatchEvent(new Event('online'))");
}

async function write(page: Page, { to = "scout", subject, body }: { to?: string; subject: string; body: string }) {
  await page.getByRole("button", { name: "New mail" }).click();
  await page.getByLabel("To", { exact: true }).fill(to);
  await page.getByLabel("Subject", { exact: true }).fill(subject);
  await page.getByLabel("Text", { exact: true }).fill(body);
  await page.getByText("The hub is away. What you send is kept here").waitFor();
  await send(page).click();
  await page.getByLabel("Subject", { exact: true }).waitFor({ state: "detached" });
}

/** A page on which a mail to scout waits, its hub being away. */
async function newsKept(hub: KillableWebHub): Promise<{ page: Page; scout: Speaker }> {
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn({ at: "/mail" });
  await page.getByText("Nothing waits for you").waitFor();
  await away(hub, page);
  await write(page, { subject: "News", body: "the news" });
  await count(page, "1 mail waits for the hub").waitFor();
  return { page, scout };
}

/** What it was sent, from the first on. */
async function gotBy(hub: KillableWebHub, { token }: Speaker): Promise<string[]> {
  const { messages } = await hub.call<{ messages: { id: string; preview: string }[] }>("mail_inbox", {}, token);
  return messages.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ preview }) => preview);
}

test("a reply and a new mail that are sent with the hub away arrive once and in order, over a reload and a lost answer", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "Before", body: "hello" });
  const { page } = await hub.signedIn({ at: "/mail" });
  await mailRow(page, "Before").click();
  await reply(page).fill("the answer");
  await away(hub, page);

  await send(page).click();
  await page.getByText(KEPT).waitFor();
  await expect.poll(() => reply(page).inputValue()).toBe("");
  await count(page, "1 mail waits for the hub").waitFor();
  await write(page, { subject: "News", body: "the news" });
  await count(page, "2 mails wait for the hub").waitFor();
  expect(await waiting(page).getByRole("listitem").locator("p").allInnerTexts()).toEqual([
    "Before to scout",
    "News to scout",
  ]);

  // The page comes from the hub: so that it can be loaded again, only the mail does not get through.
  const fates = { stopped: 0, lost: 0 };
  let through = false;
  await page.route("**/mcp", async (route) => {
    const isReply = route.request().postData()?.includes('"mail_reply"');
    if (!isReply || fates.lost > 0) return route.continue();
    fates[through ? "lost" : "stopped"] += 1;
    if (through) await route.fetch();
    await route.abort();
  });
  await hub.restart();
  await page.reload();
  await count(page, "2 mails wait for the hub").waitFor();
  await expect.poll(() => fates.stopped).toBeGreaterThan(0);
  expect(await gotBy(hub, scout)).toEqual([]);

  through = true;
  await expect.poll(() => gotBy(hub, scout)).toEqual(["the answer", "the news"]);
  await waiting(page).getByRole("listitem").first().waitFor({ state: "detached" });
  await page.getByText("Sent.", { exact: true }).waitFor();
  expect(fates.lost).toBe(1);
  expect(await gotBy(hub, scout)).toEqual(["the answer", "the news"]);
  await page.goto(`${hub.url}/mail?folder=sent`);
  await mailRow(page, "News").waitFor();
  expect(await mailRow(page, "News").count()).toBe(1);
});

test("two tabs show the same; what is taken back is a draft again; what the hub refuses holds up nobody", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn();
  const other = await page.context().newPage();
  for (const tab of [page, other]) {
    await tab.goto(`${hub.url}/mail`);
    await tab.getByText("Nothing waits for you").waitFor();
  }
  // In a tab behind another one everything takes its time.
  await page.bringToFront();
  await away(hub, page, other);
  await write(page, { to: "nobody", subject: "First", body: "to nobody" });
  await write(page, { subject: "Second", body: "to be changed" });
  await write(page, { subject: "Third", body: "as it is" });
  await count(other, "3 mails wait for the hub").waitFor();

  await page.getByRole("button", { name: "New mail" }).click();
  await page.getByLabel("Text", { exact: true }).fill("half a sentence");
  await page.getByRole("button", { name: "Take back: Second" }).click();
  await page.getByRole("alert").getByText("There is a draft in its place.").waitFor();
  await count(page, "3 mails wait for the hub").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();

  await page.getByRole("button", { name: "Take back: Second" }).click();
  await expect.poll(() => page.getByLabel("Text", { exact: true }).inputValue()).toBe("to be changed");
  expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe("scout");
  await count(other, "2 mails wait for the hub").waitFor();

  await back(hub, page, other);
  await expect.poll(() => gotBy(hub, scout)).toEqual(["as it is"]);
  for (const tab of [page, other]) {
    await count(tab, "1 mail was not sent").waitFor();
    await waiting(tab)
      .getByText(/^Not sent\. .*nobody/)
      .waitFor();
  }
  expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("to be changed");

  await hub.agent("nobody");
  await page.getByRole("button", { name: "Try again: First" }).click();
  for (const tab of [page, other]) await waiting(tab).getByRole("listitem").waitFor({ state: "detached" });
  expect(await gotBy(hub, scout)).toEqual(["as it is"]);
});

test("whoever leaves the mail meanwhile has it sent all the same", async () => {
  await using hub = await KillableWebHub.open(browser);
  const { page, scout } = await newsKept(hub);
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Fleet" }).click();
  await page.waitForURL("**/chat");
  await back(hub, page);
  await expect.poll(() => gotBy(hub, scout)).toEqual(["the news"]);
});

test("what waits goes from a page that never had the mail open", async () => {
  await using hub = await KillableWebHub.open(browser);
  const { page, scout } = await newsKept(hub);
  await page.close();
  await hub.restart();
  const later = await page.context().newPage();
  await later.goto(`${hub.url}/settings`);
  await expect.poll(() => gotBy(hub, scout)).toEqual(["the news"]);
});

test("what waits is without a serious finding of axe, light and dark, and nothing of it is too wide", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "Before", body: "hello" });
  const { page } = await hub.signedIn({ at: "/mail", bypassCSP: true, reducedMotion: "reduce" });
  await mailRow(page, "Before").waitFor();
  await away(hub, page);
  const long = "A subject that goes on for longer than the list is wide, as they do now and then";
  await write(page, { to: "nobody", subject: long, body: "text" });
  await write(page, { subject: "Short", body: "text" });
  await page.route("**/mcp", async (route) => {
    if (!route.request().postData()?.includes('"Short"')) return route.continue();
    await route.abort();
  });
  await look(page, "mail-waiting");
  await back(hub, page);
  await count(page, "1 mail waits for the hub, 1 mail was not sent").waitFor();
  await look(page, "mail-not-sent");
});

async function look(page: Page, name: string): Promise<void> {
  for (const scheme of ["light", "dark"] as const)
    for (const width of [320, 375, 1440]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
      expect.soft(await findings(page), `${name} ${scheme} ${width}`).toEqual([]);
      await shoot(page, `${name}-${width}-${scheme}`);
      const [inner, outer] = await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]");
      expect(inner).toBeLessThanOrEqual(outer ?? 0);
    }
}
