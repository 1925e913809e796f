import { expect, test } from "vitest";
import type { Answer, ModelMessage } from "./driver.ts";
import { Script, scripted } from "./scripted.ts";

const SCRIPT = Script.parse({
  rules: [
    {
      when: "^build (.+)$",
      steps: [
        { tool: "task_create", arguments: { content: "{{text}}", nested: [{ again: "{{text}}{{text}}" }] } },
        [
          { tool: "chat_assistant_post", arguments: { content: "Made: {{result}}" } },
          { tool: "mail_inbox", arguments: {} },
        ],
        { tool: "chat_assistant_post", arguments: { content: "And: {{result}}" } },
      ],
    },
    { when: "hello", steps: [{ tool: "chat_assistant_post", arguments: { content: "Hi." } }] },
  ],
});

const user = (content: string): ModelMessage => ({ role: "user", content });

/** Asks and answers until it yields; `between` is said before the answer of that number. */
async function play(first: ModelMessage[], between: Record<number, string> = {}): Promise<string[]> {
  const driver = scripted(SCRIPT);
  const messages = [...first];
  const played: string[] = [];
  for (let n = 0; n < 20; n += 1) {
    const more = between[n];
    if (more !== undefined) messages.push(user(more));
    const request = { system: "", messages, turn_from: 0, tools: [] };
    const { calls }: Answer = await driver.sample(request, new AbortController().signal);
    played.push(calls.map(({ tool, arguments: args }) => `${tool} ${args}`).join(" | "));
    if (calls[0]?.tool === "loop_yield_turn") return played;
    const made = calls.map((call, at) => ({ ...call, call_id: `${n}-${at}` }));
    messages.push({ role: "assistant", text: null, calls: made });
    for (const { call_id, tool } of made)
      messages.push({ role: "tool", call_id, tool, output: `result ${call_id} of {{text}}`, is_error: false });
  }
  return played;
}

test("of the rules the first that fits the newest message is taken, step by step, and then the turn yields", async () => {
  expect(await play([user("hello"), user("build it")])).toEqual([
    'task_create {"content":"build it","nested":[{"again":"build itbuild it"}]}',
    'chat_assistant_post {"content":"Made: result 0-0 of {{text}}"} | mail_inbox {}',
    'chat_assistant_post {"content":"And: result 1-0 of {{text}}\\nresult 1-1 of {{text}}"}',
    "loop_yield_turn {}",
  ]);
});

test("what nothing fits yields at once", async () => {
  expect(await play([user("what?")])).toEqual(["loop_yield_turn {}"]);
});

test("what is said in the middle of a rule is answered when that is through, before the turn ends", async () => {
  const played = await play([user("build it")], { 1: "oh, hello" });
  expect(played.map((line) => line.split(" ")[0])).toEqual([
    ...["task_create", "chat_assistant_post", "chat_assistant_post", "chat_assistant_post", "loop_yield_turn"],
  ]);
  expect(played[3]).toBe('chat_assistant_post {"content":"Hi."}');
});

test("a turn that was begun without a message goes by the last one there was", async () => {
  const messages = [user("hello"), user("<system notification>\nana has you go on.\n</system notification>")];
  const request = { system: "", messages, turn_from: 1, tools: [] };
  const { calls } = await scripted(SCRIPT).sample(request, new AbortController().signal);
  expect(calls).toEqual([{ tool: "chat_assistant_post", arguments: '{"content":"Hi."}' }]);
});
