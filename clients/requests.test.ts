/** REACH-6 where a person sits: what unread mail costs. */
import { expect, test } from "vitest";
import { until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { hold, say } from "./support/script.ts";

const TEXT = "The build is red since noon.";
const PROMPTS = 3;

test("REACH-6: unread mail is shown to Claude Code once, with the prompt, and costs no request a prompt", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude", ["--no-wake"]);
  const terminal = await claude.open();
  await terminal.say(claude.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.mailTo(await desk.session(claude.model), TEXT);
  const before = claude.model.turns.length;
  for (let n = 1; n <= PROMPTS; n++) {
    await terminal.say(claude.model.script(`prompt-${n}`, say(`Answer ${n}.`)));
    await terminal.shows(`Answer ${n}.`);
  }
  const { text } = await claude.model.received("Follow the script prompt-3");
  expect(text.split(TEXT)).toHaveLength(2);
  expect(claude.model.turns.length - before).toBeLessThanOrEqual(PROMPTS + 1);
  expect(await terminal.screen()).not.toMatch(/hook error/i);
});

test("REACH-6: unread mail is shown to Codex once, with the prompt, and costs no request a prompt", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex", ["--no-wake"]);
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.mailTo(await desk.session(codex.model), TEXT);
  const before = codex.model.turns.length;
  for (let n = 1; n <= PROMPTS; n++) {
    await terminal.say(codex.model.script(`prompt-${n}`, say(`Answer ${n}.`)));
    await terminal.shows(`Answer ${n}.`);
  }
  const { text } = await codex.model.received("Follow the script prompt-3");
  expect(text.split(TEXT)).toHaveLength(2);
  expect(codex.model.turns.length - before).toBeLessThanOrEqual(PROMPTS + 1);
});

test("REACH-6: more mail than there is room for wakes Claude Code no more often, and each prompt costs one request", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const terminal = await claude.open();
  await terminal.say(claude.model.script("hello", hold("mail", say("Hello, ana."))));
  const name = await desk.session(claude.model);
  for (let n = 1; n <= 15; n++) await desk.mailTo(name, `Mail number ${n}.`);
  claude.model.release("mail");
  await claude.model.received("Mail number 15.");
  await desk.waiterReady();
  // The turn that they cost, at the end of the first.
  expect(claude.model.turns).toHaveLength(2);
  await terminal.say(claude.model.script("next", say("And on.")));
  await terminal.shows("And on.");
  await desk.waiterReady();
  expect(claude.model.turns).toHaveLength(3);
});

test("REACH-6: mail that comes in the middle of a turn costs Codex one request", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.waiterReady();
  await terminal.say(codex.model.script("work", hold("work", say("Worked."))));
  await codex.model.received("Follow the script work.");
  await desk.mailTo(await desk.session(codex.model), TEXT);
  codex.model.release("work");
  await codex.model.received(TEXT);
  await until(async () => !(await terminal.screen()).includes("esc to interrupt"));
  await terminal.say(codex.model.script("next", say("And on.")));
  await terminal.shows("And on.");
  expect(codex.model.turns).toHaveLength(4);
  // By the line that is queued, which would else come as well as what is said at the end of the turn.
  expect(codex.model.turns.at(-1)?.text).toContain("[Parley] New mail has come.");
  expect(codex.model.turns.at(-1)?.text).not.toContain("hook_prompt");
});
