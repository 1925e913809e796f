import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { letThrough, mailRow, mailRows, type Speaker, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

interface Inbox {
  messages: { subject: string; read_at: string | null; acked_at: string | null }[];
}

const shown = async (page: Page, subjects: string[]) => expect.poll(() => mailRows(page)).toEqual(subjects);
const subjectsIn = async (hub: WebHub, folder: string) =>
  (await hub.call<Inbox>("mail_inbox", { folder })).messages.map(({ subject }) => subject);

/** Resolves when so many have been drawn. A busy machine draws few of them: time alone says nothing. */
const frames = (count: number) => `new Promise((resolve) => {
  let left = ${count};
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : resolve());
  next();
})`;

async function opened(hub: WebHub, subjects: string[]): Promise<{ page: Page; scout: Speaker }> {
  const scout = await hub.agent("scout");
  for (const subject of subjects) await sendMail(hub, scout, { subject, body: `about ${subject}` });
  const { page } = await hub.signedIn({ at: "/mail" });
  await shown(page, subjects.toReversed());
  return { page, scout };
}

test("keys sort mail: down, archive, trash, unread, and each is taken back with z", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two", "three"]);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("e");
  await shown(page, ["two", "one"]);
  await until(async () => (await subjectsIn(hub, "archived")).includes("three"));
  await page.keyboard.press("z");
  await shown(page, ["three", "two", "one"]);
  await until(async () => (await subjectsIn(hub, "archived")).length === 0);

  await page.keyboard.press("#");
  await shown(page, ["three", "one"]);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await shown(page, ["three", "two", "one"]);
  await expect.poll(() => subjectsIn(hub, "trash")).toEqual([]);

  await page.keyboard.press("u");
  await page.getByText("1 mail marked read.").waitFor();
  await page.keyboard.press("z");
  await until(async () => (await hub.call<{ unread: number }>("mail_inbox")).unread === 3);

  await page.keyboard.press("Enter");
  await page.locator("article").waitFor();
  await page.keyboard.press("Escape");
  await until(async () => (await page.locator("article").count()) === 0);
});

test("keys do nothing while somebody types, and nothing at all when they are switched off", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two"]);
  await page.keyboard.press("/");
  await page.keyboard.type("exj#u?");
  expect(await page.getByRole("searchbox").inputValue()).toBe("exj#u?");
  await page.keyboard.press("Escape");
  await shown(page, ["two", "one"]);

  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.getByText("Archive", { exact: true }).waitFor();
  await help.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("checkbox", { name: /single keys/ }).uncheck();
  await page.goto(`${hub.url}/mail`);
  await shown(page, ["two", "one"]);
  for (const key of ["j", "e", "#", "c", "?"]) await page.keyboard.press(key);
  expect(await page.getByRole("dialog").count()).toBe(0);
  await shown(page, ["two", "one"]);
  expect(await subjectsIn(hub, "inbox")).toEqual(["two", "one"]);
});

test("what is sorted away while it is read gives its place to the next one, which is opened", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two", "three"]);
  await mailRow(page, "three").click();
  for (const [subject, left] of [
    ["three", ["two", "one"]],
    ["two", ["one"]],
  ] as const) {
    await page.locator("article").getByText(`about ${subject}`).waitFor();
    await page.keyboard.press("e");
    await shown(page, [...left]);
  }
  await page.locator("article").getByText("about one").waitFor();
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  expect(await page.locator("article").count()).toBe(0);
});

test("several are selected, counted, sorted at once and taken back at once", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two", "three", "four"]);
  await page.getByRole("checkbox", { name: "Select four" }).check();
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("2 selected").waitFor();
  const bulk = page.getByRole("region", { name: "Selected mail" });
  await bulk.getByRole("button", { name: "Archive" }).click();
  await shown(page, ["two", "one"]);
  await page.getByText("2 mails archived.").waitFor();
  await expect.poll(async () => (await subjectsIn(hub, "archived")).toSorted()).toEqual(["four", "three"]);
  await page.keyboard.press("z");
  await shown(page, ["four", "three", "two", "one"]);

  await page.getByRole("checkbox", { name: "Select one" }).check();
  await bulk.getByRole("button", { name: "Select all 4 shown" }).click();
  await page.getByText("4 selected").waitFor();
  await bulk.getByRole("button", { name: "Acknowledge" }).click();
  await until(async () => (await hub.call<Inbox>("mail_inbox")).messages.every(({ acked_at }) => acked_at !== null));
});

test("snoozed mail leaves the inbox, waits in its folder, and comes back on top, unread", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two"]);
  await page.getByRole("navigation", { name: "Mailboxes" }).getByRole("link", { name: "Inbox" }).first().click();
  await mailRow(page, "one").click();
  await page.getByRole("button", { name: "Snooze" }).click();
  const dialog = page.getByRole("dialog", { name: "Snooze this mail" });
  await dialog.getByRole("button", { name: /Tomorrow morning/ }).click();
  await shown(page, ["two"]);
  // It is shown before it is done, and whoever leaves at once may take it along.
  await expect.poll(() => subjectsIn(hub, "snoozed")).toEqual(["one"]);
  await page.goto(`${hub.url}/mail?folder=snoozed`);
  await shown(page, ["one"]);
  await page.getByText(/Snoozed until tomorrow/).waitFor();

  await page.keyboard.press("j");
  await page.keyboard.press("s");
  await page.getByRole("dialog").getByRole("textbox").fill("nonsense");
  await page.getByText("This is not a time in the future.").waitFor();
  await page.keyboard.press("Escape");
  // The shortest the hub knows; the page's own words for a time begin at a minute.
  const { messages } = await hub.call<{ messages: { id: string }[] }>("mail_inbox", { folder: "snoozed" });
  await hub.call("mail_update", { id: messages[0]?.id, action: "snooze", until: "2s" });
  await page.goto(`${hub.url}/mail`);
  await shown(page, ["one", "two"]);
  await mailRow(page, "one").getByText("Unread.").waitFor({ state: "attached" });
});

test("what the hub refuses is shown as it was, with its sentence and a way to try again", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two"]);
  await page.route("**/mcp", async (route) => {
    if (!route.request().postData()?.includes("mail_update")) return route.continue();
    const text = JSON.stringify({ error: "Not today.", code: "FORBIDDEN" });
    const result = { content: [{ type: "text", text }], isError: true };
    const { id } = route.request().postDataJSON();
    await route.fulfill({ json: { jsonrpc: "2.0", id, result } });
  });
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.getByRole("alert").getByText("1 mail not archived. Not today.").waitFor();
  await shown(page, ["two", "one"]);
  await letThrough(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await shown(page, ["one"]);
});

test("what is taken back while it is still on its way is done after it, and is back", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await opened(hub, ["one", "two"]);
  const updates: string[] = [];
  const held = Promise.withResolvers<void>();
  await page.route("**/mcp", async (route) => {
    const { params } = route.request().postDataJSON() ?? {};
    if (params?.name !== "mail_update") return route.continue();
    updates.push(params.arguments.action);
    // The first answer never comes, and it is asked for again.
    if (updates.length > 1) await held.promise;
    await (updates.length > 1 ? route.continue() : route.abort());
  });
  await page.keyboard.press("j");
  await page.keyboard.press("#");
  await shown(page, ["one"]);
  await expect.poll(() => updates).toEqual(["trash", "trash"]);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await shown(page, ["two", "one"]);
  held.resolve();
  await expect.poll(() => updates).toEqual(["trash", "trash", "inbox"]);
  await letThrough(page);
  await expect.poll(() => subjectsIn(hub, "trash")).toEqual([]);
  await shown(page, ["two", "one"]);
});

test("search finds as one types, by words and operators, and says what to try when it finds nothing", async () => {
  await using hub = await WebHub.open(browser);
  const { page, scout } = await opened(hub, ["apples", "pears"]);
  const mason = await hub.agent("mason");
  await sendMail(hub, mason, { subject: "more apples", body: "from mason" });
  const field = page.getByRole("searchbox", { name: "Search mail" });
  await field.fill("apples");
  await shown(page, ["more apples", "apples"]);
  await field.fill("apples from:mason");
  await shown(page, ["more apples"]);
  expect(new URL(page.url()).searchParams.get("q")).toBe("apples from:mason");
  await page.reload();
  await shown(page, ["more apples"]);
  await mailRow(page, "more apples").click();
  await page.locator("article").getByText("from mason").waitFor();
  await field.fill("is:unread");
  await shown(page, ["pears", "apples"]);
  await field.fill("in:nowhere apples");
  await page.getByText(/in: knows inbox/).waitFor();
  await field.fill("plums from:mason");
  await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  await sendMail(hub, scout, { subject: "plums", body: "at last" });
  await page.getByRole("link", { name: "Search without from:mason" }).click();
  await shown(page, ["plums"]);
});

test("new mail does not move what one reads further down, is counted above it, and one press leads there", async () => {
  await using hub = await WebHub.open(browser);
  const subjects = Array.from({ length: 40 }, (_, index) => `mail ${index}`);
  const { page, scout } = await opened(hub, subjects);
  await mailRow(page, "mail 10").scrollIntoViewIfNeeded();
  const top = async () => Math.round((await mailRow(page, "mail 10").boundingBox())?.y ?? Number.NaN);
  // Rows that come near have just been drawn, each as high as it is.
  const steady = async () => {
    const then = await top();
    await page.evaluate(frames(6));
    return (await top()) === then && then;
  };
  const before = await until(steady);
  for (const subject of ["first", "second"]) await sendMail(hub, scout, { subject, body: "text" });
  await page.getByRole("button", { name: "2 new above" }).waitFor();
  expect(await top()).toBe(before);
  await page.getByRole("button", { name: "2 new above" }).click();
  await until(() => page.evaluate(`document.querySelector(".scroll").scrollTop === 0`));
  await page.getByRole("button", { name: /new above/ }).waitFor({ state: "detached" });
  expect((await mailRows(page)).slice(0, 2)).toEqual(["second", "first"]);
});

test("in a thread what comes is followed at its end, and counted where one reads further up", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { thread_id } = await sendMail(hub, scout, { subject: "Long", body: "line\n\n".repeat(100) });
  const add = (body: string) => sendMail(hub, scout, { subject: "Long", body, thread_id });
  await add("line\n\n".repeat(100));
  const { page } = await hub.signedIn({ at: `/mail?thread=${thread_id}` });
  await page.locator("article").nth(1).waitFor();
  const LETTERS = `document.querySelector(".letters")`;
  // The page hears of it with the next frame; until then it follows what is read.
  await until(async () => {
    await page.evaluate(`${LETTERS}.scrollTo(0, 0)`);
    await page.evaluate(frames(2));
    return page.evaluate(`${LETTERS}.scrollTop === 0`);
  });
  await add("while you read above");
  await page.getByRole("button", { name: "1 new below" }).click();
  const isAtEnd = () => page.evaluate(`${LETTERS}.scrollHeight - ${LETTERS}.scrollTop - ${LETTERS}.clientHeight < 2`);
  await until(isAtEnd);
  await page.getByRole("button", { name: /new below/ }).waitFor({ state: "detached" });
  await add("line\n\n".repeat(30));
  await until(async () => (await page.locator("article").count()) === 4);
  await until(isAtEnd);

  await page
    .getByRole("button", { name: /^Quote this mail of scout/ })
    .nth(2)
    .click();
  const reply = page.getByRole("textbox", { name: "Reply to scout" });
  expect(await reply.inputValue()).toBe("> while you read above\n\n");
  // What comes meanwhile takes the caret from nobody.
  await add("one more");
  await until(async () => (await page.locator("article").count()) === 5);
  await page.keyboard.type("Yes.");
  expect(await reply.inputValue()).toBe("> while you read above\n\nYes.");
});

test("two tabs stay in step: what is sorted in one is sorted in the other, and so are the counts", async () => {
  await using hub = await WebHub.open(browser);
  const { page, scout } = await opened(hub, ["one", "two"]);
  const other = await page.context().newPage();
  await other.goto(`${hub.url}/mail`);
  await shown(other, ["two", "one"]);
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await shown(other, ["one"]);
  await other.getByRole("navigation", { name: "Sections" }).getByText("1", { exact: false }).first().waitFor();
  await mailRow(other, "one").click();
  await mailRow(page, "one").getByText("Unread.").waitFor({ state: "detached" });
  await sendMail(hub, scout, { subject: "three", body: "3" });
  for (const tab of [page, other]) await shown(tab, ["three", "one"]);
});

test("a thousand mails: more are read on the way down, each once, and a key draws only the rows it is about", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  // Of one agent nobody gets so many at once.
  for (let at = 0; at < 1000; at += 50) {
    const sender = await hub.agent(`sender-${at}`);
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => sendMail(hub, sender, { subject: `mail ${at + index}`, body: "text" })),
    );
  }
  const { page } = await hub.signedIn({ at: "/mail" });
  const rows = page.locator("a[data-mail]");
  await rows.first().waitFor();
  await until(async () => {
    await page.evaluate(`[...document.querySelectorAll("a[data-mail]")].at(-1)?.scrollIntoView()`);
    return (await rows.count()) === 1000;
  });
  expect(new Set(await mailRows(page)).size).toBe(1000);

  await page.keyboard.press("j");
  await page.evaluate(`(() => {
    window.drawn = new Set();
    new MutationObserver((changes) => {
      for (const { target, addedNodes, removedNodes } of changes)
        for (const node of [target, ...addedNodes, ...removedNodes]) {
          const element = node.closest ? node : node.parentElement;
          // A minute that passes is told in every row.
          if (!element?.closest("time")) window.drawn.add(element?.closest("li"));
        }
    }).observe(document.querySelector("ul.rows"), { subtree: true, childList: true, attributes: true, characterData: true });
  })()`);
  const [first] = await mailRows(page);
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("e");
  await until(async () => (await mailRows(page))[0] !== first);
  await until(async () => (await subjectsIn(hub, "archived")).length === 1);
  await sendMail(hub, scout, { subject: "one more", body: "text" });
  await mailRow(page, "one more").waitFor();
  // The one that went and the one that came; what lies between rows is in none.
  expect(await page.evaluate("[...window.drawn].filter(Boolean).length")).toBe(2);
});
