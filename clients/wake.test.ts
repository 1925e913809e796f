/** Mail reaches a session that does not ask for it, and how long that takes. */
import { expect, test } from "vitest";
import { until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, codexCall, hold, mcpTool, say } from "./support/script.ts";
import { measure, note } from "./support/times.ts";

const TIMES = 5;

test("REACH-10: mail wakes an idle Claude Code by the re-waker, with its text", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const terminal = await claude.open();
  await terminal.say(claude.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  const to = await desk.session(claude.model);
  const ms: number[] = [];
  for (let n = 1; n <= TIMES; n++) {
    await desk.waiterReady();
    ms.push(await measure(desk, claude.model, { to, body: `Mail number ${n}.`, by: "SYSTEM NOTIFICATION" }));
  }
  note(context, { client: "Claude Code", way: "idle, re-waker (asyncRewake)", ms });
});

test("REACH-10: mail wakes an idle Claude Code by an MCP task, with its text", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const to = await claude.connect();
  const terminal = await claude.openConnected();
  const wait = call(mcpTool("mail_wait"));
  // Each time it was woken it waits again.
  const rounds = Array.from({ length: TIMES + 1 }, (_, n) => [wait, say(`I wait, ${n}.`)]).flat();
  await terminal.say(claude.model.script("wait", ...rounds));
  const ms: number[] = [];
  for (let n = 1; n <= TIMES; n++) {
    await terminal.shows(`I wait, ${n - 1}.`);
    ms.push(await measure(desk, claude.model, { to, body: `Mail number ${n}.`, by: "<task-notification>" }));
  }
  note(context, { client: "Claude Code", way: "idle, MCP task (mail_wait)", ms });
});

test("REACH-10: a task outlives the hub: mail that comes after a restart wakes the session", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const to = await claude.connect();
  const terminal = await claude.openConnected();
  await terminal.say(claude.model.script("wait", call(mcpTool("mail_wait")), say("I wait.")));
  await terminal.shows("I wait.");
  await desk.stopHub();
  await desk.startHub();
  const ms = [await measure(desk, claude.model, { to, body: "Mail after the restart.", by: "<task-notification>" })];
  note(context, { client: "Claude Code", way: "idle, MCP task, right after a restart of the hub", ms });
});

test("REACH-10: urgent mail reaches a running turn of Claude Code at its next tools", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const terminal = await claude.open();
  const bash = (n: number) => hold(`step-${n}`, call("Bash", { command: `echo step-${n}-done` }));
  await terminal.say(claude.model.script("work", bash(1), bash(2), bash(3), hold("end", say("All done."))));
  const name = await desk.session(claude.model);
  const ms: number[] = [];
  for (let n = 1; n <= 3; n++) {
    const body = `Stop step ${n}, please.`;
    const { stored_at } = await desk.mailTo(name, body, { priority: "urgent" });
    claude.model.release(`step-${n}`);
    const { at } = await claude.model.received(body);
    ms.push(at - stored_at);
  }
  expect(await terminal.screen()).not.toContain("All done.");
  claude.model.release("end");
  await terminal.shows("All done.");
  note(context, { client: "Claude Code", way: "running turn, next tools (PostToolBatch), tool included", ms });
});

test("REACH-10: mail answers a mail_wait of claude -p, which has no tasks", async (context) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const to = await claude.connect();
  const run = claude.print(claude.model.script("wait", call(mcpTool("mail_wait")), say("Got it.")), ALLOWED);
  await claude.model.received("Follow the script wait.");
  const ms = [await measure(desk, claude.model, { to, body: "Mail for a run.", by: "tool_result" })];
  expect(await run).toMatchObject({ code: 0, stdout: "Got it.\n" });
  note(context, { client: "Claude Code", way: "claude -p, in a call of mail_wait", ms });
});

const ALLOWED = ["--allowedTools", "mcp__parley"];

test("REACH-10: mail wakes an idle Codex by its queue, with its text", async (context) => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  const to = await desk.session(codex.model);
  const ms: number[] = [];
  for (let n = 1; n <= TIMES; n++) {
    await desk.waiterReady();
    ms.push(await measure(desk, codex.model, { to, body: `Mail number ${n}.` }));
    // The turn that it began is over.
    await until(async () => !(await terminal.screen()).includes("esc to interrupt"));
  }
  note(context, { client: "Codex", way: "idle, codex queue", ms });
});

test("REACH-10: mail answers a mail_wait of Codex, which has no tasks", async (context) => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  const to = await codex.connect();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("wait", codexCall("mail_wait"), say("Got it.")));
  await codex.model.received("Follow the script wait.");
  const ms = [await measure(desk, codex.model, { to, body: "Mail for Codex.", by: "function_call_output" })];
  await terminal.shows("Got it.");
  note(context, { client: "Codex", way: "in a call of mail_wait", ms });
});
