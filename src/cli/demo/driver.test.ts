import { expect, test } from "vitest";
import type { ModelMessage } from "../../runtime/index.ts";
import { demoDriver } from "./driver.ts";

const NOW = Date.parse("2026-11-01T12:00:00Z");

const user = (content: string): ModelMessage => ({ role: "user", content });
const step = (output: string): ModelMessage[] => [
  { role: "assistant", text: null, calls: [{ call_id: "c", tool: "any", arguments: "{}" }] },
  { role: "tool", call_id: "c", tool: "any", output, is_error: false },
];
const OK = `{"ok":true}`;

async function next(...messages: ModelMessage[]): Promise<[string, Record<string, unknown>]> {
  const request = { system: "", messages, turn_from: 0, tools: [] };
  const { calls } = await demoDriver(() => NOW).sample(request, new AbortController().signal);
  return [calls[0]?.tool ?? "", JSON.parse(calls[0]?.arguments ?? "{}")];
}
const saying = (content: unknown) => ["chat_assistant_post", { content }];
const OVER = ["loop_yield_turn", {}];

test("with nothing said it greets, once", async () => {
  expect(await next()).toEqual(saying(expect.stringMatching(/^Hello!/)));
  expect(await next(...step(OK))).toEqual(OVER);
});

test("each that was said is answered in order, also what was said while it was at something", async () => {
  const said = [user("echo one"), user("what is love?")];
  expect(await next(...said)).toEqual(saying("one"));
  expect(await next(...said, ...step(OK))).toEqual(saying(expect.stringContaining("13 characters")));
  const meanwhile = [...said, ...step(OK), user("time"), ...step(OK)];
  expect(await next(...meanwhile)).toEqual(saying("It is 2026-11-01T12:00:00.000Z for the hub."));
  expect(await next(...meanwhile, ...step(OK))).toEqual(OVER);
});

test("it waits for its answer as long as nobody says anything else", async () => {
  const asked = [user("ask"), ...step(`{"question_id":"7"}`)];
  const wait = ["question_wait", { question_id: "7", wait_seconds: 20 }];
  const open = step(`{"state":"open","answer":null}`);
  expect(await next(user("ask"))).toEqual(["add_question", expect.objectContaining({ blocking: true })]);
  expect(await next(...asked)).toEqual(wait);
  expect(await next(...asked, ...open)).toEqual(wait);
  const answered = step(`{"state":"answered","answer":"Brno"}`);
  expect(await next(...asked, ...open, ...answered)).toEqual(saying("**Brno** it is. Thank you!"));
  expect(await next(...asked, ...answered, ...step(OK))).toEqual(OVER);
  const interrupted = [...asked, ...open, user("echo two")];
  expect(await next(...interrupted)).toEqual(saying(expect.stringContaining("keep my question open")));
  expect(await next(...interrupted, ...step(OK))).toEqual(saying("two"));
});

test("what a tool has against it is said in its own words", async () => {
  const refused = `{"code":"FORBIDDEN","error":"Not you."}`;
  expect(await next(user("note x"), ...step(refused))).toEqual(saying(`That did not work: ${refused}`));
  expect(await next(user("ask"), ...step("no JSON"))).toEqual(saying("That did not work: no JSON"));
});
