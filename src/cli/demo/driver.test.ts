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
  const { calls } = await demoDriver({ now: () => NOW, line: (command) => `/opt/parley ${command}` }).sample(
    request,
    new AbortController().signal,
  );
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

const waitingFor = (question_id: string) => ["question_wait", { question_id, wait_seconds: expect.any(Number) }];
const OPEN = step(`{"state":"open","answer":null}`);
const answered = (answer: string) => step(JSON.stringify({ state: "answered", answer }));
const added = (question_id: string) => step(JSON.stringify({ question_id }));

test("it waits for its answer as long as nobody says anything else", async () => {
  const asked = [user("ask"), ...step(`{"question_id":"7"}`)];
  const wait = waitingFor("7");
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

test("an answer that comes after it went on with something else is taken and thanked for, once", async () => {
  const [said, other] = [step(OK), user("echo two")];
  const meanwhile = [user("ask"), ...added("7"), ...OPEN, other, ...said, ...said];
  expect(await next(...meanwhile)).toEqual(waitingFor("7"));
  expect(await next(...meanwhile, ...answered("Brno"))).toEqual(saying("**Brno** it is. Thank you!"));
  expect(await next(...meanwhile, ...answered("Brno"), ...said)).toEqual(OVER);
  const again = [...meanwhile, ...OPEN, user("echo three")];
  expect(await next(...again)).toEqual(saying("three"));
  expect(await next(...again, ...said)).toEqual(waitingFor("7"));
});

test("of several questions each is waited for in turn, so that whichever is answered first is heard", async () => {
  const both = [user("ask"), ...added("7"), ...OPEN, user("ask"), ...step(OK), ...added("8")];
  expect(await next(...both)).toEqual(waitingFor("8"));
  expect(await next(...both, ...OPEN)).toEqual(waitingFor("7"));
  expect(await next(...both, ...OPEN, ...OPEN)).toEqual(waitingFor("8"));
  const one = [...both, ...OPEN, ...OPEN, ...answered("Brno")];
  expect(await next(...one)).toEqual(saying("**Brno** it is. Thank you!"));
  expect(await next(...one, ...step(OK))).toEqual(waitingFor("7"));
});

test("it does not wait for ever, and not where it cannot, and hears a person soon however long it waits", async () => {
  const waits = (count: number) => Array.from({ length: count }, () => OPEN).flat();
  const asked = [user("ask"), ...added("7")];
  const [, first] = await next(...asked);
  const [, late] = await next(...asked, ...waits(100));
  expect([Number(first.wait_seconds) < 5, late.wait_seconds]).toEqual([true, 20]);
  expect(await next(...asked, ...waits(150))).toEqual(saying(expect.stringContaining("no longer wait")));
  expect(await next(...asked, ...waits(150), ...step(OK))).toEqual(OVER);
  expect(await next(...asked, ...OPEN, ...step(`{"code":"FORBIDDEN","error":"Not you."}`))).toEqual(OVER);
});

test("it names a command as it is typed where it runs", async () => {
  expect(await next(user("task x"), ...step(OK))).toEqual(saying(expect.stringContaining("`/opt/parley task next`")));
});

test("what a tool has against it is said in its own words", async () => {
  const refused = `{"code":"FORBIDDEN","error":"Not you."}`;
  expect(await next(user("task x"), ...step(refused))).toEqual(saying(`That did not work: ${refused}`));
  expect(await next(user("ask"), ...step("no JSON"))).toEqual(saying("That did not work: no JSON"));
});
