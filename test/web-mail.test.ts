import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { KillableWebHub, letThrough, mailLink, mailRow, mailRows, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

interface Inbox {
  messages: { id: string; subject: string; read_at: string | null; state: string }[];
  unread: number;
}

const inboxOf = (hub: WebHub, args: object = {}, token?: string) => hub.call<Inbox>("mail_inbox", args, token);
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

test("mail appears by itself, is opened, answered, and the answer reaches its sender", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page, complaints, foreign } = await hub.signedIn();
  await mailLink(page).click();
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();

  await sendMail(hub, scout, { subject: "The build", body: "It is **red**." });
  await mailRow(page, "The build").waitFor();
  await mailLink(page).getByText("1").waitFor();
  await mailRow(page, "The build").click();
  await heading(page, "The build").waitFor();
  await page.locator("article strong", { hasText: "red" }).waitFor();
  await until(async () => (await inboxOf(hub)).unread === 0);
  await until(async () => (await mailLink(page).getByText("1").count()) === 0);

  await page.getByRole("textbox", { name: "Reply to scout" }).fill("Please look at it.");
  await page.getByRole("button", { name: "Send" }).dblclick();
  await page.locator("article").getByText("Please look at it.").waitFor();
  const theirs = await inboxOf(hub, {}, scout.token);
  expect(theirs.messages.map(({ subject }) => subject)).toHaveLength(1);

  await page.getByText("Saved, fetched by none of 1 yet").waitFor();
  await hub.call("mail_read", { id: theirs.messages[0]?.id }, scout.token);
  await page.getByText("Read by 1 of 1").waitFor();
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});

test("a thread is one row, which says how many mails it has, where there are more, and as they become more", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "Alone", body: "just this" });
  const { id } = await sendMail(hub, scout, { subject: "The build", body: "It is red." });
  await hub.call("mail_reply", { id, body: "Since when?" });
  const { page } = await hub.signedIn({ at: "/mail" });
  await page.getByRole("link", { name: /The build 2 mails in this thread/ }).waitFor();
  expect(await mailRow(page, "Alone").textContent()).not.toContain("in this thread");
  await hub.call("mail_reply", { id, body: "Since noon." }, scout.token);
  await page.getByRole("link", { name: /The build 3 mails in this thread/ }).waitFor();
  await expect.poll(() => mailRows(page)).toEqual(["Re: The build", "Alone"]);
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.getByText("2 mails archived.").waitFor();
  await expect.poll(() => mailRows(page)).toEqual(["Alone"]);
});

test("looking into an agent's mailbox says so, offers no change, and marks nothing", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const mason = await hub.agent("mason");
  await sendMail(hub, mason, { to: ["scout"], subject: "For scout", body: "between us agents" });
  const { page } = await hub.signedIn({ at: "/mail" });
  const box = page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: /scout/ });
  await box.getByText("1").waitFor();
  await box.click();
  await page.getByText("Viewing scout’s mail: nothing is marked read.").waitFor();
  await mailRow(page, "For scout").click();
  await page.locator("article").getByText("between us agents").waitFor();
  for (const name of ["Archive", "Trash", "Send", "Mark unread"])
    expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await page.keyboard.press("e");
  await page.keyboard.press("#");

  // Something that is told after whatever those did.
  await sendMail(hub, mason, { to: ["scout"], subject: "Second", body: "more" });
  await mailRow(page, "Second").waitFor();
  const theirs = await inboxOf(hub, {}, scout.token);
  expect(theirs.messages.map(({ read_at, state }) => [read_at, state])).toEqual([
    [null, "inbox"],
    [null, "inbox"],
  ]);
  expect(theirs.unread).toBe(2);
});

test("mail that waits for its reader stands above the rest until it is dealt with, not until it was looked at", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "Some day", body: "no hurry" });
  await sendMail(hub, scout, { subject: "Now", body: "hurry", priority: "urgent" });
  const { page } = await hub.signedIn({ at: "/mail" });
  const needs = page.getByRole("region", { name: /Needs you/ });
  await needs.getByRole("link", { name: /Now/ }).waitFor();
  await until(async () => (await page.title()) === "(1) Your mail · Parley");
  expect(await needs.getByRole("listitem").count()).toBe(1);
  expect(await mailRows(page)).toEqual(["Now", "Some day"]);

  await needs.getByRole("link", { name: /Now/ }).click();
  await page.getByRole("heading", { name: "Now" }).waitFor();
  const { needs: waiting, count } = await hub.call<{ needs: { id: string }[]; count: number }>("need_list");
  expect([count, waiting]).toMatchObject([1, [{ kind: "mail" }]]);
  await until(async () => (await page.title()) === "(1) Your mail · Parley");
  await hub.call("mail_update", { id: waiting[0]?.id, action: "ack" });
  await until(async () => (await page.title()) === "Your mail · Parley");
  expect(await needs.count()).toBe(0);
});

test("a new mail is sent once, and to a name that is unknown not at all, with the text kept", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page } = await hub.signedIn({ at: "/mail" });
  await page.getByRole("button", { name: "New mail" }).click();
  await page.getByRole("combobox", { name: "To", exact: true }).fill("scuot");
  await page.getByRole("textbox", { name: "Subject" }).fill("A question");
  await page.getByRole("textbox", { name: "Text" }).fill("Where do we begin?");
  await page.getByRole("button", { name: "Send" }).click();
  await page
    .getByRole("alert")
    .getByText(/scuot.*scout/s)
    .waitFor();
  expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("Where do we begin?");

  await page.reload();
  expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("Where do we begin?");
  await page.getByRole("combobox", { name: "To", exact: true }).fill("sc");
  await page.getByRole("option", { name: "scout" }).click();
  await page.getByRole("combobox", { name: "Priority" }).selectOption("urgent");
  const deadline = page.getByRole("textbox", { name: /acknowledged by/ });
  const inWords = () => page.locator("#deadline-hint time").getAttribute("datetime");
  await deadline.fill("5h");
  const first = await inWords();
  await deadline.fill("2h");
  await expect.poll(inWords).not.toBe(first);
  await page.getByRole("button", { name: "Send" }).dblclick();
  await heading(page, "A question").waitFor();
  const { messages } = await hub.call<{ messages: object[] }>("mail_inbox", {}, scout.token);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toMatchObject({ subject: "A question", priority: "urgent", deadline: expect.any(String) });

  await page.getByRole("button", { name: "New mail" }).click();
  expect(await page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("");
});

test("a link to one mail works after a reload, and the way back leads through what was open", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const first = await sendMail(hub, scout, { subject: "Long story", body: `begin\n\n${"word ".repeat(2000)}` });
  await sendMail(hub, scout, { subject: "Long story", body: "the end of it", thread_id: first.thread_id });
  const { page } = await hub.signedIn({ at: "/mail?folder=archived" });
  await page.getByRole("heading", { name: "Nothing archived" }).waitFor();
  await page.goto(`${hub.url}/mail?thread=${first.thread_id}#m${first.id}`);
  const target = page.locator(`#m${first.id}`);
  await target.waitFor();
  await until(() => page.evaluate(`document.querySelector("#m${first.id}").classList.contains("target")`));
  await page.reload();
  await target.waitFor();
  await page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: "Sent" }).click();
  await page.getByRole("heading", { name: "Nothing sent" }).waitFor();
  await page.goBack();
  await target.waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Nothing archived" }).waitFor();
});

test("what is being answered is kept for each thread, over a reload too", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "One", body: "1" });
  await sendMail(hub, scout, { subject: "Two", body: "2" });
  const { page } = await hub.signedIn({ at: "/mail" });
  const reply = page.getByRole("textbox", { name: "Reply to scout" });
  await mailRow(page, "One").click();
  await heading(page, "One").waitFor();
  await reply.fill("to the first");
  await mailRow(page, "Two").click();
  await heading(page, "Two").waitFor();
  await until(async () => (await reply.inputValue()) === "");
  await page.reload();
  await mailRow(page, "One").click();
  await until(async () => (await reply.inputValue()) === "to the first");
});

test("the hub killed while an answer is under way: sent once, nothing lost, and the page goes on", async () => {
  await using hub = await KillableWebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "Before", body: "hello" });
  const { page } = await hub.signedIn({ at: "/mail" });
  await mailRow(page, "Before").click();
  await page.getByRole("textbox", { name: "Reply to scout" }).fill("exactly once");
  await page.route("**/mcp", async (route) => {
    if (!route.request().postData()?.includes("mail_reply")) return route.continue();
    await route.fetch();
    await hub.kill();
    await route.abort();
    await letThrough(page);
  });
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(/Connection lost at/).waitFor();
  await hub.restart();
  await sendMail(hub, scout, { subject: "After", body: "back again" });
  await mailRow(page, "After").waitFor();
  await until(async () => (await page.getByRole("textbox", { name: "Reply to scout" }).inputValue()) === "");
  await page.locator("article").getByText("exactly once").waitFor();
  expect(await page.locator("article").getByText("exactly once").count()).toBe(1);
  expect((await inboxOf(hub, {}, scout.token)).messages).toHaveLength(1);
  expect(await mailRows(page)).toEqual(["After", "Before"]);
});

test("what was sent says to whom without asking for each, and opened it says how far it came, as it comes further", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.agent("mason");
  const { id } = await hub.call<{ id: string }>("mail_send", { to: ["scout", "mason"], subject: "Hello", body: "all" });
  const { page } = await hub.signedIn();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.postData() ?? ""));
  await page.goto(`${hub.url}/mail?folder=sent`);
  await mailRow(page, "Hello").getByText("To scout, mason").waitFor();
  expect(asked.filter((text) => text.includes("mail_status"))).toEqual([]);
  await mailRow(page, "Hello").click();
  await page.getByText("Saved, fetched by none of 2 yet").waitFor();
  await hub.call("mail_update", { id, action: "ack" }, scout.token);
  await page.getByText("Acknowledged by 1 of 2").waitFor();
});
