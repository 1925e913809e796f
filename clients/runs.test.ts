/** Runs that nobody sits before: `claude -p`, `codex exec`, and what programs drive. */
import { expect, test } from "vitest";
import { Claude } from "./support/claude.ts";
import { Codex } from "./support/codex.ts";
import { Desk } from "./support/desk.ts";
import { call, say } from "./support/script.ts";

const TEXT = "The build is red since noon.";

test("REACH-1: claude -p ends with hooks as without them, hub up or down", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  const prompt = claude.model.script("greet", call("Bash", { command: "echo from-bash" }), say("The answer."));
  const without = await claude.print(prompt);
  expect(without).toMatchObject({ code: 0, stdout: "The answer.\n", stderr: "" });
  const alone = claude.model.turns.length;

  await desk.installHooks("claude");
  expect(await claude.print(prompt)).toEqual(without);
  // The hooks did run, and cost no request.
  await claude.model.received("on Parley");
  expect(claude.model.turns).toHaveLength(2 * alone);
  await desk.stopHub();
  expect(await claude.print(prompt)).toEqual(without);
  expect(claude.model.turns).toHaveLength(3 * alone);
});

test("REACH-1: claude -p that reads and writes JSON ends when its input does", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const prompt = claude.model.script("greet", say("The answer."));
  const line = { type: "user", message: { role: "user", content: prompt } };
  const options = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const ended = await claude.run(["-p", ...options], `${JSON.stringify(line)}\n`);
  expect(ended.code).toBe(0);
  await claude.model.received("on Parley");
  const result = JSON.parse(ended.stdout.trim().split("\n").at(-1) ?? "");
  expect(result).toMatchObject({ type: "result", subtype: "success", result: "The answer." });
});

test("REACH-1: codex exec ends with hooks as without them, hub up or down", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  const prompt = codex.model.script("greet", call("exec_command", { cmd: "echo from-bash" }), say("The answer."));
  const without = await codex.exec(prompt);
  expect(without).toMatchObject({ code: 0, stdout: "The answer.\n" });
  const alone = codex.model.turns.length;

  await desk.installHooks("codex");
  await codex.trustHooks();
  expect(await codex.exec(prompt)).toMatchObject({ code: 0, stdout: without.stdout });
  await codex.model.received("on Parley");
  expect(codex.model.turns).toHaveLength(2 * alone);
  await desk.stopHub();
  expect(await codex.exec(prompt)).toMatchObject({ code: 0, stdout: without.stdout });
  expect(codex.model.turns).toHaveLength(3 * alone);
});

test("REACH-6: unread mail stands beside the prompt of claude -p, and what is printed answers the prompt", async () => {
  await using desk = await Desk.open();
  const claude = new Claude(desk);
  await desk.installHooks("claude");
  const first = await claude.print(claude.model.script("first", say("One.")), ["--output-format", "json"]);
  const { session_id } = JSON.parse(first.stdout);
  await desk.mailTo(await desk.session(claude.model), TEXT);

  const second = await claude.print(claude.model.script("second", say("Two.")), ["--resume", session_id]);
  expect(second).toMatchObject({ code: 0, stdout: "Two.\n" });
  await claude.model.received(TEXT);
  expect(claude.model.turns).toHaveLength(2);
  const third = await claude.print(claude.model.script("third", say("Three.")), ["--resume", session_id]);
  expect(third).toMatchObject({ code: 0, stdout: "Three.\n" });
  expect(claude.model.turns).toHaveLength(3);
});

test("REACH-6: unread mail stands beside the prompt of codex exec, and what is printed answers the prompt", async () => {
  await using desk = await Desk.open();
  const codex = new Codex(desk);
  await desk.installHooks("codex");
  await codex.trustHooks();
  const first = await codex.exec(codex.model.script("first", say("One.")), ["--json"]);
  const { thread_id } = JSON.parse(first.stdout.split("\n")[0] ?? "");
  await desk.mailTo(await desk.session(codex.model), TEXT);

  const resumed = (name: string, answer: string) =>
    codex.run(["exec", "resume", thread_id, codex.model.script(name, say(answer))]);
  expect(await resumed("second", "Two.")).toMatchObject({ code: 0, stdout: "Two.\n" });
  await codex.model.received(TEXT);
  expect(codex.model.turns).toHaveLength(2);
  expect(await resumed("third", "Three.")).toMatchObject({ code: 0, stdout: "Three.\n" });
  expect(codex.model.turns).toHaveLength(3);
});
