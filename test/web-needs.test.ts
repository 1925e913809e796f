/** What needs somebody: one page for all of it, answered there. Nothing of it can be hidden. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { looks } from "../src/testing/looks.ts";
import { until } from "../src/testing/process.ts";
import { sendMail, WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

/** As a client that shows what a tool is used with. */
const ask = (hub: WebHub, token: string, { key, text }: { key: string; text: string }) =>
  hub.call<{ id: string }>(
    "approval_request",
    {
      ...{ key, call_id: key, server: "claude-code", tool: key, arguments: { preview: text } },
      ...{ covers: "preview", executes: "client", verdicts: ["approve", "deny_continue"] },
    },
    token,
  );

/** As who drags the bar does; resolves once the page has had two frames to notice. */
const JUMP_TO_END = `(() => {
  const box = document.querySelector("section.text");
  box.scrollTop = box.scrollHeight;
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(box.scrollTop > 0))));
})()`;

const DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
/** More than the longest text has. */
const PAGES = 12;

const card = (page: Page, key: string) => page.getByRole("listitem").filter({ hasText: `may it use ${key}?` });

test("what does not fit cannot be allowed before all of it was in view, and can be denied at once", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  await ask(hub, token, { key: "tidy", text: `ls${"\n".repeat(90)}; rm -rf /` });
  for (const [width, colorScheme] of [
    [1440, "light"],
    [375, "dark"],
  ] as const) {
    const { page, complaints } = await hub.signedIn({ at: "/needs", viewport: { width, height: 800 }, colorScheme });
    const tidy = card(page, "tidy");
    const allow = tidy.getByRole("button", { name: "Approve" });
    await tidy.getByText("Scroll through all of it to answer").waitFor();
    await expect.poll(() => tidy.getByRole("button", { name: "Deny…" }).isEnabled()).toBe(true);
    expect(await allow.isDisabled()).toBe(true);
    await shoot(page, `notice-unseen-${width}-${colorScheme}`);

    // Its end is in view then, and its middle never was.
    expect(await page.evaluate(JUMP_TO_END)).toBe(true);
    expect(await allow.isDisabled()).toBe(true);

    await tidy.getByRole("region", { name: "All it says" }).focus();
    // A page that a busy machine never drew was not in view: from one end to the other until each was.
    for (let step = 0; !(await allow.isEnabled()); step += 1) {
      await page.keyboard.press(Math.floor(step / PAGES) % 2 === 0 ? "PageUp" : "PageDown");
      await page.evaluate(DRAWN);
    }
    expect(await tidy.getByText("Scroll through all of it").count()).toBe(0);
    await shoot(page, `notice-seen-${width}-${colorScheme}`);
    expect(complaints).toEqual([]);
    await page.close();
  }
});

test("what fits can be allowed, and what shows nothing or turns a line around is written out", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const text = "cat \u202egnp.exe\u202c a\u{e0101}\u{e0041}\u200bb\u0085 \u001b[2J";
  const { id } = await ask(hub, token, { key: "look", text });
  const { page } = await hub.signedIn({ at: "/needs" });
  const said = "cat \\u202egnp.exe\\u202c a\\u{e0101}\\u{e0041}\\u200bb\\x85 \\x1b[2J";
  await card(page, "look").getByText(said).waitFor();
  await card(page, "look").getByRole("button", { name: "Approve" }).click();
  const answer = await hub.call<{ state: string }>("approval_wait", { id, wait_seconds: 20 }, token);
  expect(answer.state).toBe("answered");
});

test("U35: no key approves by accident, and a card that has just come cannot be hit before it is seen where it is", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const first = await ask(hub, token, { key: "look", text: "ls" });
  const { page } = await hub.signedIn({ at: "/needs?from=scout" });
  const approve = card(page, "look").getByRole("button", { name: "Approve" });
  await expect.poll(() => approve.isEnabled()).toBe(true);
  // Whoever came for it stands on the card, and on none of its buttons.
  expect(await page.evaluate("document.activeElement?.dataset.need")).toBe(first.id);
  for (const key of ["Enter", " ", "a", "y"]) await page.keyboard.press(key);
  const state = async ({ id }: { id: string }) => (await hub.call<{ state: string }>("approval_get", { id })).state;
  expect(await state(first)).toBe("pending");

  // Time stands still in the page from here: what a new card does to the others lasts until it goes on.
  await page.clock.install();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const second = await ask(hub, token, { key: "deploy", text: "make deploy" });
  await card(page, "deploy").waitFor();
  for (const key of ["look", "deploy"]) {
    const button = card(page, key).getByRole("button", { name: "Approve" });
    expect([key, await button.isEnabled()]).toEqual([key, false]);
    await button.click({ force: true });
  }
  await page.clock.runFor(700);
  expect(await approve.isEnabled()).toBe(false);
  await page.clock.runFor(200);
  await expect.poll(() => approve.isEnabled()).toBe(true);
  expect([await state(first), await state(second)]).toEqual(["pending", "pending"]);
});

interface Needs {
  needs: { id: string; kind: string }[];
  count: number;
}

test("what agents ask and the mail that waits is one list, answered in place, and the number on every page is its length", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { page, complaints } = await hub.signedIn({ bypassCSP: true });
  const line = page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: /Needs you/ });
  const listed = page.locator("[data-need]");
  await line.click();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  const { id } = await ask(hub, scout.token, { key: "deploy", text: "Nothing else works." });
  await sendMail(hub, scout, { subject: "Some day", body: "no hurry" });
  await sendMail(hub, scout, { subject: "Sign this", body: "hurry", priority: "urgent" });
  await sendMail(hub, scout, { subject: "File that", body: "soon", deadline: "2h" });
  const counted = async () => {
    const { count } = await hub.call<Needs>("need_list");
    await expect.poll(() => page.title()).toBe(`${count > 0 ? `(${count}) ` : ""}Needs you · Parley`);
    await expect.poll(() => listed.count()).toBe(count);
    await expect.poll(async () => (await line.textContent())?.replace(/\D/g, "")).toBe(count > 0 ? String(count) : "");
    return count;
  };
  await expect.poll(() => listed.count()).toBe(3);
  expect(await counted()).toBe(3);
  expect.soft(await looks(page, "needs")).toEqual([]);

  await listed.filter({ hasText: "may it use deploy?" }).getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved.").waitFor();
  const answer = await hub.call<{ state: string }>("approval_wait", { id, wait_seconds: 0 }, scout.token);
  expect(answer.state).toBe("answered");
  expect(await counted()).toBe(2);
  // What has its place now has the focus.
  await expect.poll(() => page.evaluate("document.activeElement?.innerText")).toContain("Sign this");
  await listed.filter({ hasText: "Sign this" }).getByRole("button", { name: "Acknowledge" }).click();
  expect(await counted()).toBe(1);
  await listed.filter({ hasText: "File that" }).getByRole("button", { name: "Archive" }).click();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  await page.getByText("Archived.").waitFor();
  await page.keyboard.press("z");
  await expect.poll(() => listed.count()).toBe(1);
  expect(await counted()).toBe(1);
  await listed.getByRole("button", { name: "Open and answer" }).click();
  await page.locator("article").getByText("soon").waitFor();
  expect(complaints).toEqual([]);
});

test("not now takes it off the list until a time that is said, tells whoever asks, and can be taken back", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const { id } = await ask(hub, scout.token, { key: "wait", text: "ls" });
  const { page } = await hub.signedIn({ at: "/needs", bypassCSP: true });
  await card(page, "wait").focus();
  await expect.poll(() => card(page, "wait").getByRole("button", { name: "Not now" }).isEnabled()).toBe(true);
  await page.keyboard.press("h");
  const dialog = page.getByRole("dialog", { name: "Not now" });
  await dialog.getByText("scout is told that you will look later, and still waits.").waitFor();
  await dialog.getByRole("button", { name: "In an hour" }).click();
  await page.getByText(/^Not now\. It comes back \S+/).waitFor();
  const later = page.getByRole("region", { name: /^Later/ });
  await later.getByText("may it use wait?").waitFor();
  await expect.poll(() => later.getByRole("time").count()).toBe(1);
  await expect.poll(() => page.title()).toBe("Needs you · Parley");
  const told = () => hub.call<{ pending_until: string | null }>("approval_wait", { id, wait_seconds: 0 }, scout.token);
  expect((await told()).pending_until).not.toBeNull();

  await page.keyboard.press("z");
  await expect.poll(() => page.title()).toBe("(1) Needs you · Parley");
  expect((await told()).pending_until).toBeNull();
  await expect.poll(() => later.count()).toBe(0);

  // It may be back before a slow page has shown that it was gone.
  await hub.call("need_later", { id, until: "2s" });
  await until(async () => (await hub.call<Needs>("need_list")).count === 1);
  await expect.poll(() => page.title()).toBe("(1) Needs you · Parley");
  await hub.call("need_later", { id, until: "2h" });
  await later.getByRole("button", { name: /^Bring back/ }).waitFor();
  expect.soft(await looks(page, "needs-later")).toEqual([]);
  await later.getByRole("button", { name: /^Bring back/ }).click();
  await page.getByText("Back on the list.").waitFor();
  await until(async () => (await hub.call<Needs>("need_list")).count === 1);
});

test("a notice that somebody else answered first says who did, and with what", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  const notice = { key: "k", kind: "question", title: "May I?", choices: ["yes", "no"] };
  const { id } = await hub.call<{ id: string }>("notice_raise", notice, scout.token);
  const { page } = await hub.signedIn({ at: "/needs" });
  const yes = page.getByRole("button", { name: "Yes" });
  await yes.waitFor();
  // This tab has not heard of it yet when the button is pressed.
  await page.route("**/mcp", async (route) => {
    if (route.request().postData()?.includes("notice_settle")) await hub.settle({ id, choice: "no" });
    await route.continue();
  });
  await yes.click();
  await page
    .getByRole("alert")
    .getByText(/^\S+ has answered already: no\.$/)
    .waitFor();
  await until(async () => (await yes.count()) === 0);
});

test("two agents that were stopped are let go on from the notice that tells of it", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.agent("otter");
  const title = "otter and scout were stopped";
  const { id } = await hub.call<{ id: string }>("notice_raise", { key: "k", kind: "mail.loop", title }, scout.token);
  const { page } = await hub.signedIn({ at: "/needs" });
  await page.getByRole("heading", { name: title }).waitFor();
  // An agent's own words about it let nobody do anything.
  expect(await page.getByRole("button", { name: "Let them go on" }).count()).toBe(0);

  // As the hub raises it, and ends it when they may go on, which takes two agents a quarter of an hour.
  const released: unknown[] = [];
  await page.route("**/mcp", async (route) => {
    const { method, params } = route.request().postDataJSON() ?? {};
    if (method === "tools/call" && params.name === "mail_release") {
      released.push(params.arguments);
      await hub.call("notice_withdraw", { id }, scout.token);
    }
    if (method !== "tools/call" || params.name !== "space_glance") return route.continue();
    const response = await route.fetch();
    const body = (await response.text())
      .replaceAll(/(\\?")from\1:\1scout\1/g, "$1from$1:null")
      .replaceAll(/(\\?")agents\1:null/g, "$1agents$1:[$1otter$1,$1scout$1]");
    await route.fulfill({ response, body });
  });
  await page.reload();
  await page.getByRole("button", { name: "Let them go on" }).click();
  await page.getByText("otter and scout may go on.").waitFor();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  expect(released).toMatchObject([{ agents: ["otter", "scout"] }]);
  const { notices } = await hub.call<{ notices: object[] }>("notice_list", { open: false });
  expect(notices).toMatchObject([{ id, state: "withdrawn" }]);
});

test("a deadline that passed is told once, and leads to the mail in the mailbox of who has it", async () => {
  await using hub = await WebHub.open(browser);
  const scout = await hub.agent("scout");
  await hub.agent("mason");
  await sendMail(hub, scout, { to: ["mason"], subject: "By now", body: "please", deadline: "1s" });
  const { page } = await hub.signedIn({ at: "/needs" });
  await page.getByRole("heading", { name: "Overdue: mail from scout" }).waitFor();
  expect(await page.title()).toBe("(1) Needs you · Parley");
  await page.getByRole("button", { name: "Show the mail" }).click();
  await page.getByText("Viewing mason’s mail: nothing is marked read.").waitFor();
  await page.locator("article").getByText("please").waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
});

test("where nothing waits because nobody is there, the page says how somebody comes", async () => {
  await using hub = await WebHub.open(browser);
  const { page } = await hub.signedIn({ at: "/needs" });
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  const main = page.getByRole("main");
  await main.getByText(hub.line("demo")).waitFor();
  await hub.agent("scout");
  await expect.poll(() => main.getByText(hub.line("demo")).count()).toBe(0);
});

test("behind a hundred that wait, those that have waited longer are shown when asked for, and by their link at once", async () => {
  await using hub = await WebHub.open(browser);
  // One agent may ask for twenty things at a time.
  const asked = async (name: string, tools: readonly string[]) => {
    const { token } = await hub.agent(name);
    const ids: string[] = [];
    for (const key of tools) ids.push((await ask(hub, token, { key, text: "ls" })).id);
    return ids;
  };
  const [first, second] = await asked("elder", ["oldest", "older"]);
  for (let at = 0; at < 5; at += 1)
    await asked(
      `asker-${at}`,
      Array.from({ length: 20 }, (_, call) => `tool-${at}-${call}`),
    );
  const { page } = await hub.signedIn({ at: "/needs" });
  const cards = page.locator("[data-need]");
  const older = page.getByRole("button", { name: "Show older ones" });
  await page.locator("header", { hasText: "Needs you" }).getByText("100+", { exact: true }).waitFor();
  expect(await cards.count()).toBe(100);
  await older.click();
  await expect.poll(() => cards.count()).toBe(102);
  expect(await older.count()).toBe(0);
  // They are among the others where they belong, and stay there when something changes.
  expect(await cards.first().getAttribute("data-need")).toBe(first);
  const deny = card(page, "oldest").getByRole("button", { name: "Deny…" });
  await expect.poll(() => deny.isEnabled()).toBe(true);
  await deny.click();
  await card(page, "oldest").getByRole("button", { name: "Deny", exact: true }).click();
  await expect.poll(() => cards.count()).toBe(101);
  expect(await cards.first().getAttribute("data-need")).toBe(second);

  for (const link of [`need=${second}`, "from=elder"]) {
    await page.goto(`${hub.url}/needs?${link}`);
    await expect.poll(() => page.evaluate("document.activeElement?.dataset.need")).toBe(second);
  }
});
