/** REACH-8: a client that has quit runs no more turns by our doing. */
import { expect, test } from "vitest";
import { until } from "../src/testing/process.ts";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { running } from "./support/processes.ts";
import { say } from "./support/script.ts";

const TEXT = "The build is red since noon.";

test("REACH-8: once Codex has quit, mail begins no turn, and waits for the next session", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.waiterReady();
  const name = await desk.session(codex.model);
  await codex.quit(terminal);
  await until(() => running("wait --rewake", desk.ground.home).length === 0);
  const { id } = await desk.mailTo(name, TEXT);
  // Its daemon lives on, and starts another session: time enough for a turn that nobody asked for.
  const next = await codex.open(["resume", "--last"]);
  expect(await desk.deliveries(id)).toEqual([]);
  expect(codex.model.turns).toHaveLength(1);
  await next.say(codex.model.script("back", say("I am back.")));
  await next.shows("I am back.");
  await codex.model.received(TEXT);
});

test("REACH-8: once Claude Code has quit, mail begins no turn, and waits for the next session", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const terminal = await claude.open();
  await terminal.say(claude.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.waiterReady();
  const name = await desk.session(claude.model);
  await terminal.say("/exit");
  await terminal.closed();
  const { id } = await desk.mailTo(name, TEXT);
  await until(() => running("wait --rewake", desk.ground.home).length === 0);
  expect(await desk.deliveries(id)).toEqual([]);
  expect(claude.model.turns).toHaveLength(1);

  const next = await claude.open(["--continue"]);
  await next.say(claude.model.script("back", say("I am back.")));
  await next.shows("I am back.");
  await claude.model.received(TEXT);
});
