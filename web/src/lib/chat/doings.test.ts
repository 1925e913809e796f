import { expect, test } from "vitest";
import type { Message } from "#lib/hub/types.ts";
import { decisionWords } from "#lib/needs/decision-words.ts";
import {
  callState,
  endWords,
  ranWords,
  readable,
  refusalWords,
  shortArguments,
  tookWords,
  waitedWords,
} from "./doing-words.ts";
import type { Doing } from "./doings.svelte.ts";
import { matcherOf } from "./filter.ts";
import { behind, lineOf } from "./origin.ts";
import { merged, type Row, RowMaker } from "./rows.ts";

const ts = "2026-11-16T12:00:00.000Z";
const message = (id: string, content = `said ${id}`): Message => ({
  id,
  ts,
  author: "user",
  author_principal: "ana",
  mime: "text/markdown",
  content,
});
const call = (id: string, more: Partial<Extract<Doing, { kind: "Tool" }>> = {}): Extract<Doing, { kind: "Tool" }> => ({
  id,
  ts,
  kind: "Tool",
  content_kind: "Json",
  turn_id: "1",
  call_id: `call-${id}`,
  tool: "web_search",
  called_by: null,
  arguments: `{"query":"cafés in Prague"}`,
  outcome: "done",
  output: "412",
  duration_ms: 12,
  waited_ms: null,
  approval: null,
  ...more,
});
const end = (
  id: string,
  more: Partial<Extract<Doing, { kind: "EndTurn" }>> = {},
): Extract<Doing, { kind: "EndTurn" }> => ({
  id,
  ts,
  kind: "EndTurn",
  turn_id: "1",
  outcome: "finished",
  error: null,
  cost_usd: null,
  input_tokens: null,
  output_tokens: null,
  duration_ms: null,
  ...more,
});
const said = (...ids: string[]) =>
  new RowMaker().rows(
    ids.map((id) => message(id)),
    undefined,
  );
const keys = (rows: readonly Row[]): string[] => rows.map(({ key }) => key);
const WHOLE = { has_earlier: false, has_later: false };

test("what was said and what was done stand in one order", () => {
  const doings = [call("5"), call("15"), end("25")];
  expect(keys(merged(said("10", "20"), { doings, ...WHOLE }))).toEqual(["5", "10", "15", "20", "25"]);
  expect(keys(merged([], { doings, ...WHOLE }))).toEqual(["5", "15", "25"]);
});

test("what was done beyond what is shown of the chat waits until that is shown", () => {
  const doings = [call("5"), call("15"), call("25")];
  expect(keys(merged(said("10", "20"), { doings, has_earlier: true, has_later: true }))).toEqual(["10", "15", "20"]);
  expect(keys(merged(said("30"), { doings, has_earlier: true, has_later: false }))).toEqual(["30"]);
});

test("a row that has not changed is the same one, so that it is not drawn again", () => {
  const doings = [call("5"), call("15")];
  const [before] = merged([], { doings, ...WHOLE });
  expect(merged([], { doings: [...doings, end("20")], ...WHOLE })[0]).toBe(before);
});

test("it can be narrowed to what was said, done or went wrong, and searched", () => {
  const doings = [call("5"), call("6", { outcome: "failed", output: "no route to host" }), end("7")];
  const rows = merged(said("10"), { doings, ...WHOLE });
  const found = (kind: "all" | "said" | "done" | "failed", text = "") => keys(rows.filter(matcherOf({ kind, text })));
  expect(found("all")).toEqual(["5", "6", "7", "10"]);
  expect(found("said")).toEqual(["10"]);
  expect(found("done")).toEqual(["5", "6", "7"]);
  expect(found("failed")).toEqual(["6"]);
  expect(found("all", "ROUTE")).toEqual(["6"]);
  expect(found("said", "route")).toEqual([]);
});

test("what a call is about is said in a line: its command, or the first argument that says something", () => {
  expect(shortArguments(call("1"))).toBe("cafés in Prague");
  expect(shortArguments(call("1", { arguments: `{"argv":["ls","-l"],"cwd":"/"}` }))).toBe("ls -l");
  expect(shortArguments(call("1", { arguments: "{}" }))).toBe("");
  // An id says nothing to whoever reads it.
  expect(shortArguments(call("1", { arguments: `{"question_id":"1795032381732000"}` }))).toBe("");
  expect(shortArguments(call("1", { arguments: `{"id":"1795032381732000","reason":"no room"}` }))).toBe("no room");
  expect(shortArguments(call("1", { arguments: `{"a":2,"b":40}` }))).toBe("a: 2, b: 40");
  // Cut off, as long ones are.
  expect(shortArguments(call("1", { arguments: `{"query":"caf` }))).toBe(`{"query":"caf`);
  expect(readable(`{"a":1}`)).toBe(`{\n  "a": 1\n}`);
  expect(readable(`{"a":`)).toBe(`{"a":`);
});

test("how a turn ended is said with how long it took and what it cost, as far as that is known", () => {
  expect(endWords(end("1"))).toBe("Turn over");
  const cost = { duration_ms: 3210, input_tokens: 1200, output_tokens: 4, cost_usd: 0.0123 };
  expect(endWords(end("1", cost))).toBe("Turn over, 3.2 s, 1,204 tokens, $0.01");
  expect(endWords(end("1", { outcome: "interrupted", cost_usd: 0.004 }))).toBe("Turn interrupted, $0.004");
  expect([tookWords(12), tookWords(59_900), tookWords(61_000)]).toEqual(["12 ms", "59.9 s", "1 min 1 s"]);
});

test("how long a call ran is told without what a person took to decide, which is told beside it", () => {
  expect([ranWords(call("1")), waitedWords(call("1"))]).toEqual(["12 ms", ""]);
  const waited = call("1", { duration_ms: 634_120, waited_ms: 634_000 });
  expect([ranWords(waited), waitedWords(waited)]).toEqual(["120 ms", " It waited 10 min 34 s."]);
  // What was not run took no time.
  expect(ranWords({ ...waited, outcome: "denied" })).toBe("");
  expect(ranWords({ ...waited, duration_ms: null, outcome: null })).toBe("");
});

test("of what a fork knows of another each item is a line, and it begins behind the last of them", () => {
  expect(lineOf({ ...message("1", "Hello."), kind: "UserMessage" })).toEqual({ who: "ana", text: "Hello." });
  expect(lineOf(call("2"))).toEqual({ who: "web_search", text: "cafés in Prague · Done" });
  expect(lineOf(end("3"))).toEqual({ who: "", text: "Turn over" });
  expect(lineOf({ id: "4", ts, kind: "Notice", content: "Resumed by ana." }).text).toBe("Resumed by ana.");
  expect(behind("1760000000000000")).toBe("1760000000000001");
});

test("a call says whether it waits for a person, and what was decided by whom and why", () => {
  const undecided = { outcome: null, decided_by: null, decided_via: null, reason: null, edited: false };
  const approval = { id: "9", state: "pending", ...undecided } as const;
  expect(callState(call("1", { outcome: null, approval })).words).toBe("Waits for approval");
  expect(callState(call("1", { outcome: null, approval: { ...approval, state: "executing" } })).words).toBe("Running");
  expect(decisionWords(approval)).toBe("Waits for a person to decide.");
  const by = { state: "approved", outcome: "user_approve", decided_by: "ana", edited: true } as const;
  expect(decisionWords({ ...approval, ...by })).toBe("Approved by ana with other arguments.");
  const at_page = { ...approval, ...by, decided_via: "page" } as const;
  expect(decisionWords(at_page)).toBe("Approved by ana on the page with other arguments.");
  const denied = { state: "denied", outcome: "policy_deny_continue", decided_by: "policy", reason: "Never." } as const;
  expect(decisionWords({ ...approval, ...denied })).toBe("Denied by the policy: Never.");
  expect(decisionWords({ ...approval, state: "expired" })).toBe("Nobody decided in time.");
  const left = { ...approval, state: "withdrawn", decided_by: "ana" } as const;
  expect(decisionWords(left)).toBe("Left to its own terminal by ana.");
  expect(refusalWords(call("1", { outcome: "denied", approval: { ...approval, ...denied } }))).toBe(
    "Denied by the policy: Never.",
  );
  expect(refusalWords(call("1", { outcome: "denied", output: "Its tools are off." }))).toBe("Its tools are off.");
  expect(refusalWords(call("1", { outcome: "failed" }))).toBe(undefined);
});
