/** REACH-7: a permission that waits reaches the person on the page, and is decided there or at the terminal. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, visitor } from "../src/testing/browser.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, say } from "./support/script.ts";
import { note } from "./support/times.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

async function page(desk: Desk): Promise<Page> {
  const { stdout } = await desk.parley(["login", "--json"]);
  const opened = await (await visitor(browser)).newPage();
  await opened.goto(JSON.parse(stdout).url);
  await opened
    .getByRole("navigation", { name: "Sections" })
    .getByRole("link", { name: /Needs you/ })
    .click();
  return opened;
}

const TOUCH = call("Bash", { command: "touch asked-for.txt && echo was-made", description: "Make a file" });
async function asking(desk: Desk, claude: Claude) {
  await desk.installHooks("claude");
  const shown = await page(desk);
  const terminal = await claude.open();
  await terminal.say(claude.model.script("touch", TOUCH, say("All done.")));
  await shown.getByText("touch asked-for.txt").waitFor();
  return { shown, terminal, at: Date.now() };
}

test("REACH-7: what Claude Code asks is on the page with its arguments, and Approve there lets it go on", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { shown, at } = await asking(desk, claude);
  const asked_at = claude.model.turns.at(-1)?.at ?? 0;
  const decided = Date.now();
  await shown.getByRole("button", { name: "Approve" }).click();
  const answered = await claude.model.received(["tool_result", "was-made"]);
  note(context, { client: "Claude Code", way: "permission: from the model's reply to the page", ms: [at - asked_at] });
  note(context, {
    client: "Claude Code",
    way: "permission: from Approve on the page to its result in a request",
    ms: [answered.at - decided],
  });
});

test("REACH-7: Deny on the page is told to the model of Claude Code, and nothing was run", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { shown } = await asking(desk, claude);
  await shown.getByRole("button", { name: "Deny…" }).click();
  await shown.getByRole("button", { name: "Deny", exact: true }).click();
  await claude.model.received(["tool_result", "denied it on Parley"]);
  expect(existsSync(join(desk.project, "asked-for.txt"))).toBe(false);
});

test("REACH-7: a question that was answered in Claude Code's terminal is gone from the page", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { shown, terminal } = await asking(desk, claude);
  await terminal.shows(/Do you want to proceed/i);
  await terminal.pressUntil("Enter", "All done.");
  await claude.model.received(["tool_result", "was-made"]);
  await shown.getByText("touch asked-for.txt").waitFor({ state: "detached" });
});

test("REACH-7: a question that was refused in Claude Code's terminal is gone from the page", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const { shown, terminal } = await asking(desk, claude);
  await terminal.shows(/Do you want to proceed/i);
  await terminal.pressUntil("Up", /❯ \d\. No/);
  // On a busy machine its dialog may pass over the first one.
  await terminal.pressUntil("Enter", "What should Claude do instead?");
  await shown.getByText("touch asked-for.txt").waitFor({ state: "detached" });
  expect(existsSync(join(desk.project, "asked-for.txt"))).toBe(false);
});

test("REACH-7: what Codex asks is on the page at once, with its arguments", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const shown = await page(desk);
  const terminal = await codex.open(["--ask-for-approval", "on-request", "--sandbox", "read-only"]);
  const touch = call("exec_command", {
    cmd: "touch asked-for.txt && echo was-made",
    sandbox_permissions: "require_escalated",
    justification: "May I make a file?",
  });
  await terminal.say(codex.model.script("touch", touch, say("All done.")));
  await shown.getByText("touch asked-for.txt").waitFor();
  await terminal.shows("May I make a file?");
  await terminal.pressUntil("Enter", "All done.");
  await codex.model.received(["function_call_output", "was-made"]);
  await shown.getByText("touch asked-for.txt").waitFor({ state: "detached" });
});
