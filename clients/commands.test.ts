/** REACH-3: what a hook tells a model to run is there, and works from where the model runs it. */
import { expect, test } from "vitest";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import type { ModelRequest } from "./support/model-server.ts";
import { call, codexCall, hold, say } from "./support/script.ts";

const TEXT = "The build is red since noon.";
/** Between backticks, as hooks write commands for models. */
const INBOX = /`([^`\n]*parley inbox[^`\n]*)`/;

const inboxIn = ({ text }: ModelRequest): string => {
  const [, command] = INBOX.exec(text) ?? [];
  if (command === undefined) throw new Error("No hook said how to look into the inbox.");
  return command;
};

test("REACH-3: the command that Claude Code is told shows the session's mail", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const look = hold("mail", (request) => call("Bash", { command: inboxIn(request) }));
  const run = claude.print(claude.model.script("look", look, say("Seen.")), ["--allowedTools", "Bash"]);
  const { id } = await desk.mailTo(await desk.session(claude.model), TEXT);
  claude.model.release("mail");
  expect(await run).toMatchObject({ code: 0, stdout: "Seen.\n" });
  await claude.model.received(["tool_result", id]);
});

test("REACH-3: Codex is told tools, which work where its sandbox has no network", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.connectSessions();
  await codex.trustHooks();
  const terminal = await codex.open(["--sandbox", "workspace-write", "--ask-for-approval", "never"]);
  const read = hold("mail", codexCall("mail_inbox"));
  await terminal.say(codex.model.script("look", read, say("Seen.")));
  const name = await desk.session(codex.model);
  const { text } = await codex.model.received(`You are ${name} on Parley`);
  expect(text).toContain("mail_inbox");
  // Bare, it is on no PATH; and the sandbox would not let it reach the hub.
  expect(text).not.toMatch(/`parley \w/);
  const { id } = await desk.mailTo(name, TEXT);
  codex.model.release("mail");
  await codex.model.received(["function_call_output", id]);
});
