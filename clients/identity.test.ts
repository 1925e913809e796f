/** REACH-4 and 5: a session is one agent, whichever way it came, and stays it. */
import { expect, test } from "vitest";
import { PARLEY, until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { running } from "./support/processes.ts";
import { call, codexCall, mcpTool, say } from "./support/script.ts";

const TEXT = "The build is red since noon.";

test("REACH-4: Claude Code is the same agent by its hooks, by MCP and by the command line", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  await claude.connectSessions();
  const whoami = call("Bash", { command: `${PARLEY} whoami --json --home ${desk.ground.home}` });
  const prompt = claude.model.script("who", call(mcpTool("whoami")), whoami, say("That is me."));
  const ended = await claude.print(prompt, ["--allowedTools", "Bash,mcp__parley"]);
  expect(ended).toMatchObject({ code: 0, stdout: "That is me.\n" });
  const name = await desk.session(claude.model);
  const last = claude.model.turns.at(-1)?.text ?? "";
  const answers = [...last.matchAll(/"(?:name|principal|agent)":\s?"([^"]+)"/g)].map(([, answer]) => answer);
  expect(answers.length).toBeGreaterThanOrEqual(2);
  expect(new Set(answers)).toEqual(new Set([name]));
});

test("REACH-4: Codex is the same agent by its hooks and by MCP", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.connectSessions();
  await codex.trustHooks();
  const prompt = codex.model.script("who", codexCall("whoami"), say("That is me."));
  const ended = await codex.exec(prompt, ["--dangerously-bypass-approvals-and-sandbox"]);
  expect(ended).toMatchObject({ code: 0, stdout: "That is me.\n" });
  const name = await desk.session(codex.model);
  const last = codex.model.turns.at(-1)?.text ?? "";
  const answers = [...last.matchAll(/"(?:name|principal|agent)":\s?"([^"]+)"/g)].map(([, answer]) => answer);
  expect(new Set(answers)).toEqual(new Set([name]));
});

test("REACH-4: two sessions of a project are two agents, called after repository and branch", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const names: string[] = [];
  for (const n of [1, 2]) {
    await claude.print(claude.model.script(`hello-${n}`, say("Hello.")));
    names.push(await desk.session(claude.model));
  }
  expect(names).toEqual(["webshop-main", "webshop-main-2"]);
});

test("REACH-5: /clear keeps the agent, and mail wakes the conversation that is there now", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const terminal = await claude.open();
  await terminal.say(claude.model.script("before", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  const before = await desk.session(claude.model);
  const cleared = Date.now();
  await terminal.say("/clear");
  await until(async () => !(await terminal.screen()).includes("Hello, ana."));
  await terminal.say(claude.model.script("after", say("Hello again.")));
  await terminal.shows("Hello again.");
  expect(await desk.session(claude.model, cleared)).toBe(before);
  await desk.waiterReady();
  expect(running("wait --rewake", desk.ground.home)).toHaveLength(1);
  await desk.mailTo(before, TEXT);
  const { text } = await claude.model.received(TEXT);
  expect(text).not.toContain("Hello, ana.");
});

test("REACH-5: /clear in Codex keeps the agent, and mail wakes the conversation that is there now", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("before", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  const before = await desk.session(codex.model);
  await desk.waiterReady();
  const cleared = Date.now();
  await terminal.say("/clear");
  await until(async () => !(await terminal.screen()).includes("Hello, ana."));
  await terminal.say(codex.model.script("after", say("Hello again.")));
  await terminal.shows("Hello again.");
  expect(await desk.session(codex.model, cleared)).toBe(before);
  await until(() => running("wait --rewake", desk.ground.home).length === 1);
  await desk.mailTo(before, TEXT);
  const { text } = await codex.model.received(TEXT);
  expect(text).not.toContain("Hello, ana.");
});
