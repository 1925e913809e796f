import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { mailRow, mailRows, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const field = (page: Page) => page.getByRole("searchbox", { name: "Search mail" });
const shown = async (page: Page, subjects: string[]) => expect.poll(() => mailRows(page)).toEqual(subjects);
const query = (page: Page) => new URL(page.url()).searchParams.get("q");

test("operators find by sender, recipient, folder and time, and what is found opens beside the list", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.agent("mason");
  await hub.call("mail_send", { to: ["mason"], subject: "to mason", body: "apples" });
  await hub.call("mail_send", { to: ["scout", "mason"], subject: "to both", body: "apples" });
  const { id } = await sendMail(hub, scout, { subject: "from scout", body: "apples" });
  await hub.call("mail_update", { id, action: "archive" });
  const { page } = await hub.signedIn({ at: "/mail" });
  const find = async (q: string, subjects: string[]) => {
    await field(page).fill(q);
    await shown(page, subjects);
  };
  await find("to:scout", ["to both"]);
  await find("apples to:mason", ["to both", "to mason"]);
  await find("to:scout from:scout", []);
  await find("from:scout in:archived", ["from scout"]);
  await find("in:sent to:mason after:1h", ["to both", "to mason"]);
  await find("before:2020-01-01", []);
  await find("app", ["from scout", "to both", "to mason"]);
  await mailRow(page, "to both").click();
  await page.locator("article").getByText("apples").waitFor();
  expect(await field(page).inputValue()).toBe("app");
  await shown(page, ["from scout", "to both", "to mason"]);
});

test("what finds nothing says what to leave out and what else there is", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "red apples", body: "from the garden" });
  const { page } = await hub.signedIn({ at: "/mail" });
  await field(page).fill("is:unread red is:unread plums");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  for (const example of ["from:scout", "to:mason", "in:archived"])
    await page.getByRole("code").getByText(example).waitFor();
  expect(await page.getByRole("link", { name: /^Search without/ }).allTextContents()).toEqual(
    ["is:unread", "red", "plums"].map((part) => `Search without ${part}`),
  );
  await page.getByRole("link", { name: "Search without plums" }).click();
  await shown(page, ["red apples"]);
  expect(await field(page).inputValue()).toBe("is:unread red is:unread");
});

test("the way back leads out of a search and not through its letters; who types on loses none of them", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  for (const subject of ["apples", "pears"]) await sendMail(hub, scout, { subject, body: "fruit" });
  const { page } = await hub.signedIn({ at: "/mail?folder=sent" });
  await page.getByRole("heading", { name: "Nothing sent" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("fruit apples", { delay: 150 });
  expect(await field(page).inputValue()).toBe("fruit apples");
  // The beginning of the word finds the same.
  await expect.poll(() => query(page)).toBe("fruit apples");
  await shown(page, ["apples"]);
  await page.goBack();
  await page.getByRole("heading", { name: "Nothing sent" }).waitFor();
  expect([query(page), await field(page).inputValue()]).toEqual([null, ""]);
  await page.goForward();
  await shown(page, ["apples"]);
  expect(await field(page).inputValue()).toBe("fruit apples");

  // Whoever leaves in the middle of a word is not brought back by it.
  await field(page).press("s");
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Settings" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.waitForTimeout(500);
  expect(new URL(page.url()).pathname).toBe("/settings");
});

test("a mail far up in a long thread is led to from its row and by its link, and is read then", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  // Of one agent nobody gets so many at once.
  const senders = [scout, await hub.agent("mason")];
  const begin = { to: ["User", "mason"], subject: "Long story", body: "the very beginning" };
  const first = await sendMail(hub, scout, begin);
  for (let at = 1; at < 150; at += 1)
    await sendMail(hub, senders[at % 2] ?? scout, {
      subject: "Long story",
      body: `part ${at}`,
      thread_id: first.thread_id,
    });
  const { page } = await hub.signedIn({ at: "/mail?q=beginning" });
  await page.getByText("100+ mails in this thread").waitFor();
  await mailRow(page, "Long story").click();
  const isSeen = () =>
    page.evaluate(`(() => {
    const box = document.querySelector("#m${first.id}")?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.bottom < innerHeight;
  })()`);
  await until(isSeen);
  await until(async () => (await page.locator("article.target").count()) === 1);
  await until(async () => (await hub.call<{ unread: number }>("mail_inbox")).unread === 0);
  await page.reload();
  await until(isSeen);
  expect(await page.locator("article").count()).toBe(150);
});
