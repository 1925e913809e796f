/** REACH-2: offered is what stood in a request of the conversation, and nothing else. */
import { expect, test } from "vitest";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, hold, mcpTool, say } from "./support/script.ts";

const TEXT = "The build is red since noon.";

test("REACH-2: a subagent of Claude Code uses up no mail of its session", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude", ["--no-wake"]);
  const task = claude.model.script("errand", hold("errand", say("Errand done.")));
  const agent = call("Agent", { description: "An errand", prompt: task, subagent_type: "general-purpose" });
  const terminal = await claude.open();
  // It runs beside the session, which is told when it is done.
  await terminal.say(claude.model.script("delegate", agent, say("Delegated.")));
  await claude.model.received(task);
  await terminal.shows("Delegated.");
  const { id } = await desk.mailTo(await desk.session(claude.model), TEXT);
  claude.model.release("errand");
  const { text } = await claude.model.received(TEXT);
  expect(text).toContain("Follow the script delegate.");
  const channels = (await desk.offered(id)).map(({ channel }) => channel);
  expect(channels).not.toContain("hook-subagent-stop");
});

test("REACH-2: /compact uses up no mail", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude", ["--no-wake"]);
  const terminal = await claude.open();
  await terminal.say(claude.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  const { id } = await desk.mailTo(await desk.session(claude.model), TEXT);
  await terminal.say("/compact");
  await terminal.shows(/Compacted|Conversation compacted/i);
  // Its SessionStart shows mail to the conversation that goes on, but that has asked its model nothing yet.
  await terminal.say(claude.model.script("next", say("And on.")));
  await terminal.shows("And on.");
  await claude.model.received(TEXT);
  await desk.offered(id);
});

test("REACH-2: a channel that claude mcp list starts marks nothing offered", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await claude.connect("channel");
  const { id } = await desk.mailTo("claude-channel", TEXT);
  const { stdout } = await claude.run(["mcp", "list"]);
  expect(stdout).toMatch(/parley: .*(Connected|✓|✔)/);
  expect(await desk.deliveries(id)).toEqual([]);
});

const AS_CHANNEL = ["--dangerously-load-development-channels", "server:parley"];

test.each([
  ["without its option", [], "Hello, ana."],
  // Its vendor's switch for channels is off where nobody is signed in: what its server pushes is dropped.
  ["with its option, while channels are not available", AS_CHANNEL, "Channels are not currently available"],
])("REACH-2: mail pushed to a Claude Code that does not listen, %s, stays new", async (_, options, sign) => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await claude.connect("channel");
  const terminal = await claude.openConnected(mcpTool("reply"), options);
  await terminal.say(claude.model.script("hello", say("Hello, ana.")));
  await terminal.shows(sign);
  const { id } = await desk.mailTo("claude-channel", TEXT);
  // Through the same server, so behind the push. It has not heard of this id: it made the name up.
  const answer = call(mcpTool("reply"), { chat_id: `mail:${id}`, text: "Thank you." });
  await terminal.say(claude.model.script("answer", answer, say("Answered.")));
  await terminal.shows("Answered.");
  await claude.model.received(["tool_result", "Sent as mail"]);
  expect(claude.model.turns.some(({ text }) => text.includes(TEXT))).toBe(false);
  expect(await desk.deliveries(id)).toEqual([]);
});

test("REACH-2: what Codex is queued has the mail's text, and only then it is offered", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const terminal = await codex.open();
  await terminal.say(codex.model.script("hello", say("Hello, ana.")));
  await terminal.shows("Hello, ana.");
  await desk.waiterReady();
  const { id, stored_at } = await desk.mailTo(await desk.session(codex.model), TEXT);
  const { at } = await codex.model.received(TEXT);
  const [offered] = await desk.offered(id);
  expect(at).toBeGreaterThan(stored_at);
  expect(Date.parse(offered?.first_at ?? "")).toBeGreaterThan(stored_at);
});
