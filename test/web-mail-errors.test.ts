import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { until } from "../src/testing/process.ts";
import { letThrough, mailRow, mailRows, sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

/** As the hub says it, with the id of the failure in its log. */
const INTERNAL = { error: "Internal error. The hub's log has it as 3f9a2c41.", code: "INTERNAL" };
const BUSY = { error: "The database does not answer.", code: "STORAGE_UNAVAILABLE" };

/** Has the hub answer calls of a tool with an error, for as long as it fits. Gives how often it did. */
async function failing(page: Page, body: object, fits: (call: { name: string; args: object }) => boolean) {
  let count = 0;
  await page.route("**/mcp", async (route) => {
    const { id, method, params } = route.request().postDataJSON() ?? {};
    if (method !== "tools/call" || !fits({ name: params.name, args: params.arguments })) return route.continue();
    count += 1;
    const result = { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
    await route.fulfill({ json: { jsonrpc: "2.0", id, result } });
  });
  return () => count;
}

/** A page that begins to follow reads once more: until it has, what failed may come by itself. */
const settled = (page: Page, reads: () => number) =>
  until(async () => {
    const before = reads();
    await page.waitForTimeout(2000);
    return reads() === before;
  });

test("a failure of the hub's own is told with its id, in a list, a thread, a toast and a draft, and each is tried again", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "one", body: "the text" });
  const { page } = await hub.signedIn();
  const told = page.getByRole("alert").getByText(INTERNAL.error);
  const again = page.getByRole("button", { name: "Try again" });

  const reads = await failing(page, INTERNAL, ({ name }) => name === "mail_inbox");
  await page.goto(`${hub.url}/mail`);
  await told.waitFor();
  await settled(page, reads);
  // It can be marked and copied.
  expect(await told.evaluate("(node) => getComputedStyle(node).userSelect")).not.toBe("none");
  await letThrough(page);
  await again.click();
  await mailRow(page, "one").waitFor();

  await failing(page, INTERNAL, ({ name }) => name === "mail_thread");
  await mailRow(page, "one").click();
  await told.waitFor();
  await letThrough(page);
  await again.click();
  await page.locator("article").getByText("the text").waitFor();

  await failing(page, INTERNAL, ({ name }) => name === "mail_update" || name === "mail_reply");
  await page.getByRole("textbox", { name: "Reply to scout" }).fill("an answer");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").getByText(`Not sent. ${INTERNAL.error}`).waitFor();
  await page.getByRole("button", { name: "Archive" }).click();
  await page.getByRole("alert").getByText(`1 mail not archived. ${INTERNAL.error}`).waitFor();
  await letThrough(page);
  await again.click();
  await page.getByText("1 mail archived.").waitFor();
});

test("a trouble that lasts is told while it is tried again, and is gone by itself when it passes", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await sendMail(hub, scout, { subject: "one", body: "text" });
  const { page } = await hub.signedIn();
  await failing(page, BUSY, ({ name }) => name === "mail_inbox");
  await page.goto(`${hub.url}/mail`);
  await page.getByRole("status", { name: "Loading mail" }).waitFor();
  await page.getByRole("alert").getByText(BUSY.error).waitFor();
  await letThrough(page);
  await mailRow(page, "one").waitFor();
  expect(await page.getByRole("alert").getByText(BUSY.error).count()).toBe(0);
});

test("the rest of a list that cannot be read is asked for once, not over and over, and comes with another try", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await Promise.all(
    Array.from({ length: 60 }, (_, at) => sendMail(hub, scout, { subject: `mail ${at}`, body: "text" })),
  );
  const { page } = await hub.signedIn();
  let [lists, broken] = [0, false];
  const asked = await failing(page, INTERNAL, ({ name, args }) => {
    if (name === "mail_inbox") lists += 1;
    return broken && name === "mail_inbox" && "before" in args;
  });
  await page.goto(`${hub.url}/mail`);
  await page.locator("a[data-mail]").first().waitFor();
  // A list that is read anew asks for its rest anew.
  await settled(page, () => lists);
  broken = true;
  await page.evaluate(`[...document.querySelectorAll("a[data-mail]")].at(-1).scrollIntoView()`);
  await page.getByRole("alert").getByText(INTERNAL.error).waitFor();
  await page.waitForTimeout(500);
  expect(asked()).toBe(1);
  await letThrough(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(async () => (await mailRows(page)).length).toBe(60);
});

test("an answer to a notice that failed can be given again from what is said about it", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.call("notice_raise", { key: "k", kind: "question", title: "May I?", choices: ["yes", "no"] }, scout.token);
  const { page } = await hub.signedIn({ at: "/needs" });
  await failing(page, INTERNAL, ({ name }) => name === "notice_settle");
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByRole("alert").getByText(INTERNAL.error).waitFor();
  await letThrough(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Answered: yes.").waitFor();
});
