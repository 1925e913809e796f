/** What agents ask to do is decided on the page, once, and what they may do by themselves is set there. */
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings } from "../src/testing/axe.ts";
import { closeContexts, sharedBrowser, shoot } from "../src/testing/browser.ts";
import { WebHub } from "../src/testing/web.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await sharedBrowser();
});
afterAll(() => closeContexts(browser));

/** The page stays as it was opened last. */
const LOOKS = [
  [375, "dark"],
  [375, "light"],
  [1440, "dark"],
  [1440, "light"],
] as const;

/** Opens the page there in that width and theme. */
async function openAs(page: Page, [width, colorScheme]: (typeof LOOKS)[number], url: string): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 800 : 900 });
  await page.emulateMedia({ colorScheme });
  await page.goto(url);
}

interface Seen {
  state: string;
  outcome: string | null;
  reason: string | null;
  arguments: unknown;
}

const ask = (hub: WebHub, token: string, key: string, more: object = {}) =>
  hub.call<{ id: string; digest: string }>(
    "approval_request",
    { key, call_id: key, server: "runtime", tool: "runtime_exec", arguments: { cmd: ["git", key] }, ...more },
    token,
  );
const isInWindow = (element: { getBoundingClientRect(): { top: number; bottom: number } }): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= 900;
};
const FOCUSED = "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent.trim()";
const card = (page: Page, key: string) => page.getByRole("listitem").filter({ hasText: `"${key}"` });
const seenBy = (hub: WebHub, token: string, id: string) =>
  hub.call<Seen>("approval_wait", { id, wait_seconds: 20 }, token);

test("a call is approved, edited and approved, or denied with a reason that reaches the agent", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const about = { about: "Then everybody has it." };
  const [push, pull, fetch] = [
    await ask(hub, token, "push", about),
    await ask(hub, token, "pull"),
    await ask(hub, token, "fetch", { hints: ["destructive"] }),
  ];
  const { page, complaints } = await hub.signedIn();
  for (const look of LOOKS) {
    await openAs(page, look, `${hub.url}/needs`);
    await card(page, "push").getByText("Then everybody has it.").waitFor();
    await expect.poll(() => card(page, "push").getByRole("button", { name: "Approve" }).isEnabled()).toBe(true);
    // What its server warns of is decided by itself.
    await card(page, "fetch").getByText("medium risk", { exact: true }).waitFor();
    await card(page, "fetch").getByText("runtime says of it: it may delete or overwrite things.").waitFor();
    expect(await card(page, "fetch").getByRole("checkbox").count()).toBe(0);
    await shoot(page, `approvals-${look.join("-")}`);
    expect(complaints).toEqual([]);
  }
  await card(page, "push").getByRole("button", { name: "Approve" }).click();
  await page.getByText("Approved.").waitFor();
  expect(await seenBy(hub, token, push.id)).toMatchObject({ state: "approved", arguments: { cmd: ["git", "push"] } });

  await card(page, "pull").getByRole("button", { name: "Edit…" }).click();
  const field = page.getByRole("textbox", { name: "Arguments, as JSON" });
  await expect.poll(() => field.inputValue()).toContain('"pull"');
  await field.fill('{"cmd": ["git", "pull", "--ff-only"]}');
  await page.getByRole("button", { name: "Approve with these" }).click();
  const edited = { state: "approved", arguments: { cmd: ["git", "pull", "--ff-only"] } };
  expect(await seenBy(hub, token, pull.id)).toMatchObject(edited);

  const deny = card(page, "fetch").getByRole("button", { name: "Deny…" });
  const why = page.getByRole("textbox", { name: "Why not" });
  // Who presses twice has denied nothing, and who works by keys is where they can write, and back again.
  await deny.dblclick();
  await deny.waitFor();
  expect(await hub.call("approval_get", { id: fetch.id })).toMatchObject({ state: "pending" });
  await deny.press("Enter");
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("Why not");
  await why.press("Escape");
  await expect.poll(() => page.evaluate(FOCUSED)).toBe("Deny…");
  await deny.press("Enter");
  await why.fill("There is nothing new.");
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  const denied = { outcome: "user_deny_continue", reason: "There is nothing new." };
  expect(await seenBy(hub, token, fetch.id)).toMatchObject(denied);
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
});

test("of two tabs that decide at once one has decided, and the other says who did", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const { id } = await ask(hub, token, "push");
  const tabs = [(await hub.signedIn()).page, (await hub.signedIn()).page];
  for (const page of tabs) {
    await page.goto(`${hub.url}/needs`);
    await expect.poll(() => card(page, "push").getByRole("button", { name: "Approve" }).isEnabled()).toBe(true);
  }
  // Neither has heard of the other's when it sends its own.
  let held = 0;
  const both = Promise.withResolvers<void>();
  for (const page of tabs)
    await page.route("**/mcp", async (route) => {
      if (route.request().postData()?.includes("approval_decide")) {
        held += 1;
        if (held === tabs.length) both.resolve();
        await both.promise;
      }
      await route.continue();
    });
  await Promise.all(tabs.map((page) => card(page, "push").getByRole("button", { name: "Approve" }).click()));
  const said = await Promise.all(
    tabs.map((page) =>
      Promise.race([
        page
          .getByText("Approved.", { exact: true })
          .waitFor()
          .then(() => "first"),
        page
          .getByRole("alert")
          .getByText(/^\S+ has allowed it already, on the page\.$/)
          .waitFor()
          .then(() => "second"),
      ]),
    ),
  );
  expect(said.sort()).toEqual(["first", "second"]);
  expect(await seenBy(hub, token, id)).toMatchObject({ state: "approved" });
  for (const page of tabs) await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
});

test("U31: an edit shows what it adds and removes beside its arguments, which have to be seen all the same", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const [old_string, new_string] = [
    "function total(items) {\n  return items.length;\n}",
    "function total(items) {\n  // \u202eReads only\n  return items.reduce((sum, { price, amount }) => sum + price * amount, 0);\n}",
  ];
  const edit = { file_path: "src/cart.ts", old_string, new_string, replace_all: true };
  const client = { server: "claude-code", executes: "client" };
  const { id } = await ask(hub, token, "edit", { ...client, tool: "Edit", arguments: edit });
  const long = { file_path: "long.txt", content: `first\n${"more of it\n".repeat(400)}last` };
  await ask(hub, token, "write", { ...client, tool: "Write", arguments: long });
  await ask(hub, token, "huge", {
    ...client,
    tool: "Write",
    arguments: { file_path: "huge.txt", content: "x\n".repeat(3000) },
  });
  const { page, complaints } = await hub.signedIn({ bypassCSP: true });
  const diff = card(page, "src/cart.ts").getByRole("region", { name: "What it changes, line by line" });
  for (const look of LOOKS) {
    await openAs(page, look, `${hub.url}/needs`);
    await diff.waitFor();
    expect((await diff.innerText()).split("\n").filter((line) => /^[+−]$/.test(line.trim()))).toEqual(["−", "+", "+"]);
    await diff.getByText("// \\u202eReads only").waitFor();
    // Each sign is its own: no => that is an arrow.
    const ligatures = "getComputedStyle(document.querySelector('[data-need] pre')).fontVariantLigatures";
    expect(await page.evaluate(ligatures)).toBe("none");
    await card(page, "src/cart.ts").getByText("Not in this view: replace_all").waitFor();
    // Sideways in itself: the page stays as wide as it is.
    const wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    expect(await page.evaluate(wide)).toBe(true);
    await diff.scrollIntoViewIfNeeded();
    await shoot(page, `approvals-edit-${look.join("-")}`);
    expect(await findings(page)).toEqual([]);
  }
  const written = card(page, "long.txt");
  await written.getByText("What it writes, over whatever is there").waitFor();
  await written.getByRole("region", { name: "What it changes, line by line" }).scrollIntoViewIfNeeded();
  expect(await written.getByRole("button", { name: "Approve" }).isEnabled()).toBe(false);
  expect(await card(page, "huge.txt").getByRole("region", { name: "What it changes, line by line" }).count()).toBe(0);
  await card(page, "src/cart.ts").getByRole("button", { name: "Approve" }).click();
  expect(await seenBy(hub, token, id)).toMatchObject({ state: "answered", arguments: edit });
  expect(complaints).toEqual([]);
});

test("several are decided at once, and the rest stays", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const [push, pull] = [await ask(hub, token, "push"), await ask(hub, token, "pull")];
  await ask(hub, token, "fetch");
  await ask(hub, token, "warned", { hints: ["destructive"] });
  const { page } = await hub.signedIn({ at: "/needs" });
  const choose = (key: string) => card(page, key).getByRole("checkbox", { name: "Choose" });
  await expect.poll(() => choose("fetch").isEnabled()).toBe(true);
  // By keys: the card that has the focus. What is of more risk is never among the others.
  await page.keyboard.press("j");
  const top = () => page.evaluate<number>("document.querySelector('[data-need]').getBoundingClientRect().top");
  const before = await top();
  await page.keyboard.press("x");
  await page.getByText("1 chosen").waitFor();
  // Nothing moves when it comes, and it is in view wherever one chooses.
  expect(await top()).toBe(before);
  await page.locator("[data-need]").last().scrollIntoViewIfNeeded();
  expect(await page.getByRole("group", { name: "Decide together" }).evaluate(isInWindow)).toBe(true);
  await page.getByRole("button", { name: "Choose 2 more you have seen" }).click();
  await page.getByText("3 chosen").waitFor();
  await choose("fetch").uncheck();
  await page.getByText("2 chosen").waitFor();
  await page.getByRole("button", { name: "Approve all" }).click();
  await page.getByText("Approved: 2.").waitFor();
  for (const { id } of [push, pull]) expect(await seenBy(hub, token, id)).toMatchObject({ state: "approved" });
  await expect.poll(() => page.locator("[data-need]").count()).toBe(2);
});

test("what is of high risk is approved by a word that is typed, by itself, and by no rule", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const rules = [{ tool: "runtime_exec", when: { "cmd.1": "push" }, decision: "ask", risk: "high" }];
  await hub.call("policy_set", { document: { rules }, expected_version: 0 });
  const { id } = await ask(hub, token, "push");
  await ask(hub, token, "pull");
  const { page, complaints } = await hub.signedIn();
  for (const look of LOOKS) {
    await openAs(page, look, `${hub.url}/needs`);
    await card(page, "push").getByText("high risk").waitFor();
    await card(page, "push").getByRole("button", { name: "Approve…" }).click();
    await shoot(page, `high-risk-${look.join("-")}`);
    expect(complaints).toEqual([]);
  }
  await page.goto(`${hub.url}/needs`);
  await card(page, "pull").getByRole("checkbox", { name: "Choose" }).waitFor();
  expect(await card(page, "push").getByRole("checkbox").count()).toBe(0);
  expect(await card(page, "push").getByRole("button", { name: "Always allow…" }).count()).toBe(0);
  await card(page, "push").getByRole("button", { name: "Approve…" }).click();
  const typed = page.getByRole("textbox", { name: "Type approve to approve it" });
  const approve = card(page, "push").getByRole("button", { name: "Approve", exact: true });
  await typed.fill("yes");
  await typed.press("Enter");
  expect(await approve.isEnabled()).toBe(false);
  expect(await hub.call("approval_get", { id })).toMatchObject({ state: "pending" });
  await typed.fill("approve");
  await typed.press("Enter");
  await page.getByText("Approved.").waitFor();
  expect(await seenBy(hub, token, id)).toMatchObject({ state: "approved" });
});

test("always allow is a rule in words, previewed, which counts once it is made one", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const { id } = await ask(hub, token, "push");
  const { agents } = await hub.call<{ agents: { waiting_since: string | null }[] }>("agent_list");
  const { page, complaints } = await hub.signedIn({ at: "/needs" });
  // U39: beside who waits stands since when.
  const since = page.getByRole("navigation", { name: "Agents" }).locator("time");
  expect(await since.getAttribute("datetime")).toBe(agents[0]?.waiting_since);
  await card(page, "push").getByRole("button", { name: "Always allow…" }).click();
  const dialog = page.getByRole("dialog", { name: "Always allow" });
  await dialog
    .getByText(
      /^scout may use runtime_exec of runtime without asking, where .*, until (?!.*UTC)\w+, .*, \d?\d:\d\d.*\.$/,
    )
    .waitFor();
  await dialog.getByText("It would have allowed 1 more of 1 call so far.").waitFor();
  await shoot(page, "always-allow-1440-light");
  // What was chosen and is not shown yet cannot be made a rule.
  const answered = Promise.withResolvers<void>();
  await page.route("**/mcp", async (route) => {
    if (route.request().postData()?.includes("policy_draft")) await answered.promise;
    await route.continue();
  });
  await dialog.getByRole("combobox", { name: "How long" }).selectOption("for ever");
  await expect.poll(() => dialog.getByRole("button", { name: "Make it a rule" }).isEnabled()).toBe(false);
  answered.resolve();
  await dialog.getByText(/"push"\]\}\.$/).waitFor();
  await dialog.getByRole("button", { name: "Make it a rule" }).click();
  await dialog.getByText("It is a rule of the policy from the next call on. This call still waits for you.").waitFor();
  await dialog.getByRole("button", { name: "Approve this call too" }).click();
  expect(await seenBy(hub, token, id)).toMatchObject({ outcome: "user_approve" });
  const again = await ask(hub, token, "push", { key: "again" });
  expect(await seenBy(hub, token, again.id)).toMatchObject({ outcome: "policy_allow" });
  expect(complaints).toEqual([]);
});

test("what was asked is listed with who decided and its digest, narrowed, saved, and what is always approved becomes a rule", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  const cmd = { arguments: { cmd: ["date"] } };
  for (const key of ["one", "two", "three"]) {
    const asked = await ask(hub, token, key, cmd);
    await hub.call("approval_decide", { id: asked.id, digest: asked.digest, decision: "approve", reason: key });
  }
  const denied = await ask(hub, token, "push");
  await hub.call("approval_decide", { id: denied.id, digest: denied.digest, decision: "deny_continue", reason: "No." });
  const { page: looked, complaints } = await hub.signedIn({ bypassCSP: true });
  for (const look of LOOKS) {
    await openAs(looked, look, `${hub.url}/policy`);
    await looked.getByText(/^Of the last 4 that people decided, 3 were approved/).waitFor();
    await looked.getByText("scout asked 3 times for the same runtime_exec").scrollIntoViewIfNeeded();
    await shoot(looked, `asked-${look.join("-")}`);
    expect(await findings(looked)).toEqual([]);
    expect(complaints).toEqual([]);
  }
  await looked.close();
  const { page } = await hub.signedIn({ at: "/policy" });
  const rows = page.getByRole("list", { name: "What was asked" }).getByRole("listitem");
  await expect.poll(() => rows.count()).toBe(4);
  await page.getByRole("combobox", { name: "State" }).selectOption("denied");
  await expect.poll(() => rows.count()).toBe(1);
  expect(await rows.innerText()).toContain(`digest ${denied.digest.slice(0, 12)}`);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("approvals.csv");
  const lines = readFileSync(await saved.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(denied.digest);
  await page.getByRole("button", { name: "Always allow…" }).click();
  await page.getByRole("button", { name: "Make it a rule" }).click();
  await page.getByText("It is a rule of the policy").waitFor();
  // These were decided long ago.
  expect(await page.getByText("still waits for you").count()).toBe(0);
});

test("the policy is read in sentences, tried out before it is set, and its history is kept", async () => {
  await using hub = await WebHub.open(browser);
  const { token } = await hub.agent("scout");
  await ask(hub, token, "push");
  await ask(hub, token, "rm", { arguments: { cmd: ["rm", "-r", "/"] } });
  const { page, complaints } = await hub.signedIn({ at: "/policy" });
  await page.getByRole("heading", { name: "Nobody has set one" }).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "The policy, as JSON" });
  await field.fill('{"rules": [{"tool": "runtime_exec", "decision": "perhaps"}]}');
  await page.getByRole("button", { name: "Save" }).click();
  await page
    .getByRole("alert")
    .getByText(/^Rule 1: decision is one of/)
    .waitFor();
  await field.fill('{"rules": [{"tool": "runtime_exec", "decision": "deny_abort", "decision": "allow"}]}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText('The policy: the key "decision" is there twice.').waitFor();
  const rules = [
    { tool: "runtime_exec", when: { "cmd.0": "git" }, decision: "allow" },
    { tool: "runtime_exec", when: { "cmd.0": "rm" }, decision: "deny_continue", reason: "Never." },
  ];
  await field.fill(JSON.stringify({ rules, default: "ask" }, null, 2));
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("It would have allowed 1, denied 1 more of 2 calls so far.").waitFor();
  await shoot(page, "policy-preview-1440-light");
  // What is changed afterwards was not tried out.
  await field.fill('{"rules": [');
  await expect.poll(() => page.getByText("It would have allowed").count()).toBe(0);
  await page.getByRole("button", { name: "Preview" }).click();
  await page
    .getByRole("alert")
    .getByText(/^The policy: it is not JSON/)
    .waitFor();
  await field.fill(JSON.stringify({ rules, default: "ask" }, null, 2));
  await page.getByRole("textbox", { name: "Why, for the history" }).fill("git is harmless");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText('Every agent may use runtime_exec without asking, where cmd.0 is "git".').waitFor();
  await page.getByText("git is harmless").waitFor();
  for (const look of LOOKS) {
    await openAs(page, look, `${hub.url}/policy`);
    await page.getByRole("heading", { name: "Version 1" }).waitFor();
    await shoot(page, `policy-${look.join("-")}`);
  }
  expect(complaints).toEqual([]);
});
