/** What is asked of people shows what it depends on, offers what it allows alone, and rules are taken back where they stand. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeContexts, sharedBrowser } from "../src/testing/browser.ts";
import { looks } from "../src/testing/looks.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

const ask = (hub: WebHub, token: string, key: string, more: object = {}) =>
  hub.call<{ id: string; digest: string }>(
    "approval_request",
    { key, call_id: key, server: "runtime", tool: "runtime_exec", arguments: { cmd: ["git", key] }, ...more },
    token,
  );
const cards = (page: Page) => page.locator("[data-need]");
const card = (page: Page, words: string) => cards(page).filter({ hasText: words });
const RULES = [
  { tool: "runtime_exec", when: { "cmd.0": "git" }, decision: "allow" },
  { tool: "runtime_exec", when: { "cmd.0": "rm" }, decision: "deny_continue", expires_at: "2026-01-01T00:00:00.000Z" },
];

test("U32: editing is offered where it is taken, and a rule where all arguments are shown", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  await ask(hub, token, "whole");
  await ask(hub, token, "fixed", { editable: false });
  await ask(hub, token, "shown", { covers: "preview", arguments: { preview: "shown in part" } });
  const { page } = await hub.signedIn({ at: "/needs" });
  const offered = async (words: string) => {
    await card(page, words).getByRole("button", { name: "Approve" }).waitFor();
    const all = await card(page, words).getByRole("button").allInnerTexts();
    return all.filter((name) => /Edit|Always/.test(name));
  };
  expect(await offered('"whole"')).toEqual(["Edit…", "Always allow…"]);
  expect(await offered('"fixed"')).toEqual(["Always allow…"]);
  expect(await offered("shown in part")).toEqual([]);
});

test("U33: each rule is taken back by its own button, and put back; one that is over is marked so", async () => {
  await using hub = await WebHub.open(browser);
  await hub.call("policy_set", { document: { rules: RULES }, expected_version: 0 });
  const { page } = await hub.signedIn({ at: "/policy", bypassCSP: true, reducedMotion: "reduce" });
  const rules = page.getByRole("list", { name: "Rules" }).getByRole("listitem");
  await rules.nth(1).getByText("expired", { exact: true }).waitFor();
  expect(await rules.nth(0).getByText("expired", { exact: true }).count()).toBe(0);
  // What holds where no rule fits is no rule.
  expect(await rules.nth(2).getByRole("button").count()).toBe(0);
  expect.soft(await looks(page, "policy-rules")).toEqual([]);
  const stored = async () => (await hub.call<{ document: { rules: object[] } }>("policy_get")).document.rules;
  await rules
    .nth(0)
    .getByRole("button", { name: /^Remove/ })
    .click();
  await page.getByRole("heading", { name: "Version 2" }).waitFor();
  expect(await stored()).toEqual([RULES[1]]);
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("heading", { name: "Version 3" }).waitFor();
  expect(await stored()).toEqual(RULES);
  await page.getByText("Removed: Every agent may use runtime_exec without asking").waitFor();
});

test("U33: what an agent proposes is tried out in view before it can be accepted", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  for (let n = 0; n < 25; n += 1) {
    const { id, digest } = await ask(hub, token, `push-${n}`);
    await hub.call("approval_decide", { id, digest, decision: "approve" });
  }
  const rule = { tool: "runtime_exec", agent: "scout", when: { "cmd.0": "git" }, decision: "allow" };
  await hub.call("policy_propose", { rule, reason: "I push often." }, token);
  const { page } = await hub.signedIn({ bypassCSP: true, reducedMotion: "reduce" });
  const held = Promise.withResolvers<void>();
  await page.route("**/mcp", async (route) => {
    if (route.request().postData()?.includes("policy_preview")) await held.promise;
    await route.continue();
  });
  await page.goto(`${hub.url}/needs`);
  const proposal = card(page, "I push often.");
  await expect.poll(() => proposal.getByRole("button", { name: "Reject" }).isEnabled()).toBe(true);
  expect(await proposal.getByRole("button", { name: "Accept" }).isEnabled()).toBe(false);
  held.resolve();
  await proposal.getByText("It would have allowed 25 more of 25 calls so far.").waitFor();
  const calls = proposal.getByRole("list", { name: "What would be decided otherwise" }).getByRole("listitem");
  expect(await calls.count()).toBe(20);
  await proposal.getByRole("button", { name: "Show earlier calls" }).click();
  await expect.poll(() => calls.count()).toBe(25);
  expect(await proposal.getByRole("button", { name: "Show earlier calls" }).count()).toBe(0);
  expect.soft(await looks(page, "needs-proposal")).toEqual([]);
  // All that it says has to be seen, too.
  const accept = proposal.getByRole("button", { name: "Accept" });
  await proposal.getByRole("region", { name: "All it says" }).focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowDown");
      return accept.isEnabled();
    })
    .toBe(true);
  await accept.click();
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  expect(await hub.call("policy_get")).toMatchObject({ version: 1, document: { rules: [rule] } });
});

test("the policy, its history and what was asked follow what others do, and nobody saves over them", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const { page, complaints } = await hub.signedIn({ at: "/policy" });
  await page.getByRole("heading", { name: "Nobody has set one" }).waitFor();
  await page.getByText("Nothing was asked.").waitFor();
  await hub.call("policy_set", { document: { rules: RULES }, expected_version: 0, note: "By somebody else." });
  await page.getByRole("heading", { name: "Version 1" }).waitFor();
  await page.getByText("By somebody else.").waitFor();
  await ask(hub, token, "push");
  await page.getByRole("list", { name: "What was asked" }).getByText('"push"').waitFor();

  await page.getByRole("button", { name: "Edit" }).click();
  await hub.call("policy_set", { document: { rules: [] }, expected_version: 1 });
  await page.getByText("admin has set version 2 meanwhile.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .getByText(/version 2/)
    .waitFor();
  expect(await hub.call("policy_get")).toMatchObject({ version: 2 });
  expect(complaints).toEqual([]);
});

test("U40: what holds up work stands first, options alone are taken where nothing else is, and a question can be dismissed", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const put = (question: string, more: object = {}) =>
    hub.call<{ question_id: string }>("add_question", { question, ...more }, token);
  await put("Any wishes?");
  const { question_id } = await put("Which name?", { priority: "high" });
  await put("Which city?", { blocking: true, options: ["Prague", "Brno"], options_only: true });
  const { page } = await hub.signedIn({ at: "/needs", bypassCSP: true, reducedMotion: "reduce" });
  await expect
    .poll(() => cards(page).getByRole("heading").allInnerTexts())
    .toEqual(["Which city?", "Which name?", "Any wishes?"]);
  await card(page, "Which city?").getByText("Work waits for it").waitFor();
  await card(page, "Which city?").getByRole("button", { name: "Brno" }).waitFor();
  expect(await card(page, "Which city?").getByRole("textbox").count()).toBe(0);
  expect(await card(page, "Any wishes?").getByRole("textbox").count()).toBe(1);
  expect.soft(await looks(page, "needs-questions")).toEqual([]);
  const dismiss = card(page, "Which name?").getByRole("button", { name: "Dismiss" });
  await expect.poll(() => dismiss.isEnabled()).toBe(true);
  await dismiss.click();
  await page.getByText("Dismissed: nobody waits for it.").waitFor();
  const waited = await hub.call("question_wait", { question_id, wait_seconds: 0 }, token);
  expect(waited).toMatchObject({ state: "dismissed" });
  // U37
  await page.goto(`${hub.url}/needs?need=${question_id}`);
  const note = page.getByRole("status").filter({ hasText: "Which name?" });
  await note.getByText("Dismissed by admin.").waitFor();
  await note.getByRole("link", { name: "All questions" }).waitFor();
});
