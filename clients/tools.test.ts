/** Tools and resources of the hub, called by the real clients. */
import { expect, test } from "vitest";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, codexCall, mcpTool, say } from "./support/script.ts";

const WAYS = ["http", "stdio"] as const;
const LETTER = { to: ["mason"], subject: "Build", body: "It is green again." };

test.each(WAYS)("Tools: Claude Code calls them over %s, and the model reads the answer", async (way) => {
  await using desk = await Desk.open();
  const mason = await desk.agent("mason");
  const claude = new Claude(desk);
  await claude.connect(way);
  const prompt = claude.model.script("send", call(mcpTool("mail_send"), LETTER), say("Sent."));
  expect(await claude.print(prompt, ["--allowedTools", "mcp__parley"])).toMatchObject({ code: 0, stdout: "Sent.\n" });
  const { messages } = await desk.call<{ messages: { id: string }[] }>("mail_inbox", {}, mason);
  await claude.model.received(`"id":"${messages[0]?.id}"`);
});

test.each(WAYS)("Tools: Codex calls them over %s, and the model reads the answer", async (way) => {
  await using desk = await Desk.open();
  const mason = await desk.agent("mason");
  const codex = new Codex(desk);
  await codex.connect(way);
  const prompt = codex.model.script("send", codexCall("mail_send", LETTER), say("Sent."));
  const ended = await codex.exec(prompt, ["--dangerously-bypass-approvals-and-sandbox"]);
  expect(ended).toMatchObject({ code: 0, stdout: "Sent.\n" });
  const { messages } = await desk.call<{ messages: { id: string }[] }>("mail_inbox", {}, mason);
  await codex.model.received(`"id":"${messages[0]?.id}"`);
});

test("Resources: Claude Code lists them by names of ours, and reads one", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await claude.connect();
  const read = call("ReadMcpResourceTool", { server: "parley", uri: "parley://chat/inbox" });
  const prompt = claude.model.script("list", call("ListMcpResourcesTool", { server: "parley" }), read, say("Read."));
  expect(await claude.print(prompt)).toMatchObject({ code: 0, stdout: "Read.\n" });
  await claude.model.received(["tool_result", "parley://chat/inbox"]);
  const { text } = await claude.model.received("last_id");
  expect(text).not.toContain("not found");
});
