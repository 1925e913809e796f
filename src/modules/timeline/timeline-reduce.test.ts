import fc from "fast-check";
import { expect, test } from "vitest";
import type { Entry, EntryBody } from "./service/entries.ts";
import { EMPTY, type FoldItem, fold, reduce, type UiState } from "./service/reduce.ts";

const TURN = 100;

const entry = (id: number, body: EntryBody, turn_id: number | null = TURN): Entry => ({ id, turn_id, ...body });
const userText = (id: number, chat_id: number): Entry =>
  entry(id, { type: "UserText", chat_id, author: "ana", mime: "text/markdown", content: `says ${chat_id}` }, null);
const assistantText = (id: number): Entry =>
  entry(id, { type: "AssistantText", chat_id: id, author: "scout", mime: "text/markdown", content: "I see" });
const call = (id: number, call_id: string, tool = "mail_inbox", args = "{}"): Entry =>
  entry(id, {
    type: "ToolCall",
    sample: 0,
    seen_id: null,
    call_id,
    tool,
    content_kind: args.includes("cmd") ? "Exec" : "Json",
    arguments: args,
  });
const output = (id: number, call_id: string, text = "ok"): Entry =>
  entry(id, { type: "ToolOutput", call_id, outcome: text === "ok" ? "done" : "failed", output: text });
const approval = (id: number, call_id: string, state: "pending" | "approved" | "completed", waiting = 0): Entry =>
  entry(id, {
    ...{ type: "Approval", call_id, waiting },
    approval: { id: "90", state, outcome: null, decided_by: null, decided_via: null, reason: null, edited: false },
  });
const task = (id: number, task_id: string, outcome: "done" | null): Entry =>
  entry(id, { type: "Task", task_id, channel: "default", content: "dust", outcome, result: null }, null);
const question = (id: number, question_id: string, answer: string | null): Entry =>
  entry(
    id,
    {
      ...{ type: "Question", question_id, question: "Which?", priority: "normal", blocking: true, answer },
      ...{ state: answer === null ? "open" : "answered", answered_by: answer === null ? null : "ana" },
    },
    null,
  );
const started = entry(TURN, { type: "TurnStarted" });
const yielded = (id: number): Entry => entry(id, { type: "Yielded" });
const ended = (id: number): Entry => entry(id, { type: "TurnEnded", outcome: "finished", cost_usd: 0.5 });

const kinds = ({ items }: UiState): string[] => items.map(({ kind, id }) => `${kind} ${id}`);

test("TIMELINE-1: what a person says, what the agent says and the end of a turn each are an item, and seq grows with each", () => {
  const steps = [userText(50, 50), started, assistantText(110), yielded(120)];
  const states = steps.map((_, at) => fold(EMPTY, steps.slice(0, at + 1)));
  expect(kinds(states.at(-1) ?? EMPTY)).toEqual(["UserMessage 50", "AssistantMarkdown 110", "EndTurn 120"]);
  expect(states.map(({ seq }) => seq)).toEqual([50, 100, 110, 120]);
});

test("TIMELINE-2: an event that changes nothing gives back the very same state", () => {
  const state = fold(EMPTY, [userText(50, 50), started, call(110, "a"), output(120, "a")]);
  const nothing = [
    userText(130, 50),
    output(131, "unknown"),
    output(132, "a", "twice"),
    call(133, "a"),
    entry(134, { type: "Notification", text: "n" }),
  ];
  for (const one of nothing) expect(reduce(state, one)).toBe(state);
});

test("TIMELINE-3: tools of the chat and of the loop are no items, others are, by whether they run a program", () => {
  const quiet = ["chat_assistant_post", "chat_read_since", "loop_yield_turn", "ui_send_message", "ui_end_turn"];
  const calls = quiet.map((tool, at) => call(110 + at, `q${at}`, tool));
  const state = fold(EMPTY, [started, ...calls, call(120, "a"), call(121, "b", "runtime_exec", '{"cmd":["ls"]}')]);
  expect(state.items).toMatchObject([
    { kind: "Tool", tool: "mail_inbox", content_kind: "Json" },
    { kind: "Tool", tool: "runtime_exec", content_kind: "Exec" },
  ]);
});

test("TIMELINE-4: an output belongs to its own call, also of several at once, and one of no call is ignored", () => {
  const state = fold(EMPTY, [
    started,
    ...[call(110, "a"), call(111, "b"), call(112, "c")],
    ...[output(120, "b", "no such mail"), output(121, "zz"), output(122, "a")],
  ]);
  expect(state.items).toMatchObject([
    { call_id: "a", outcome: "done", output: "ok" },
    { call_id: "b", outcome: "failed", output: "no such mail" },
    { call_id: "c", outcome: null, output: null },
  ]);
});

test("CRASH-3: what came of a call after its turn was over takes the place of the sentence that nothing did, once", () => {
  const lost = entry(120, { type: "ToolOutput", call_id: "a", outcome: "interrupted", output: "It went away." });
  const late = entry(
    130,
    { type: "ToolOutput", call_id: "a", tool: "mail_inbox", outcome: "done", output: "ok" },
    null,
  );
  const state = fold(EMPTY, [started, call(110, "a"), lost, late]);
  expect(state.items).toMatchObject([{ id: 110, outcome: "done", output: "ok", ended_id: 130, turn_id: TURN }]);
  expect(reduce(state, output(140, "a", "twice"))).toBe(state);
});

test("POLICY-4: what is asked about a call stands at it, and the turn waits for as long as one of its calls does", () => {
  const steps = [
    ...[started, call(110, "a"), call(111, "b"), approval(120, "a", "pending", 1), approval(121, "b", "pending", 2)],
    ...[approval(130, "b", "approved", 1), approval(131, "a", "approved", 0), approval(132, "zz", "approved", 0)],
  ];
  const states = steps.map((_, at) => fold(EMPTY, steps.slice(0, at + 1)));
  expect(states.slice(2).map(({ run }) => run?.status)).toEqual([
    ...["running", "awaiting_approval", "awaiting_approval", "awaiting_approval", "running", "running"],
  ]);
  expect(states.at(-1)?.items).toMatchObject([
    { call_id: "a", outcome: null, approval: { state: "approved" } },
    { call_id: "b", outcome: null, approval: { state: "approved" } },
  ]);
  // One that is over waits for nothing.
  const over = fold(EMPTY, [started, call(110, "a"), ended(115), approval(120, "a", "pending", 1)]);
  expect(over).toMatchObject({ run: { status: "finished" }, items: [{ approval: { state: "pending" } }, {}] });
});

test("a question and a task stay where they were first told of, and are what was last told of them", () => {
  const state = fold(EMPTY, [
    ...[question(110, "7", null), task(111, "8", null), started, question(120, "7", "That"), task(121, "8", "done")],
    question(119, "7", null),
  ]);
  expect(state.items).toMatchObject([
    { id: 110, kind: "Question", state: "answered", answer: "That" },
    { id: 111, kind: "Task", outcome: "done" },
  ]);
});

test("LOOP-1: a turn has one end, whether it is told that the model yielded, that the turn ended, or both", () => {
  for (const events of [
    [yielded(110), ended(111)],
    [ended(111)],
    [yielded(110), yielded(112), ended(113), ended(114)],
  ]) {
    const { items } = fold(EMPTY, [started, ...events]);
    expect(items).toMatchObject([{ kind: "EndTurn", turn_id: TURN, outcome: "finished", cost_usd: 0.5 }]);
  }
});

test("TIMELINE-7: items stand in the order of their ids, whenever they were told of", () => {
  const state = fold(EMPTY, [started, call(110, "a"), userText(120, 105), userText(121, 90)]);
  expect(kinds(state)).toEqual(["UserMessage 90", "UserMessage 105", "Tool 110"]);
});

/** What may happen, at ids that grow. */
const happening = fc
  .array(
    fc.record({
      what: fc.constantFrom(
        "user",
        "assistant",
        "call",
        "output",
        "yield",
        "end",
        "start",
        "notice",
        "text",
        "ask",
        "question",
        "task",
      ),
      which: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    let turn = 0;
    return steps.map(({ what, which }, at): Entry => {
      const id = 1000 + at;
      if (what === "start") turn = id;
      const own = { id, turn_id: turn };
      if (what === "user") return userText(id, 500 + which);
      if (what === "assistant") return assistantText(id);
      if (what === "call") return { ...call(id, `c${which}`), ...own };
      if (what === "output") return { ...output(id, `c${which}`), ...own };
      if (what === "ask") return { ...approval(id, `c${which}`, which > 2 ? "pending" : "completed", which), ...own };
      if (what === "question") return question(id, `${which}`, at % 2 === 0 ? null : "Yes");
      if (what === "task") return task(id, `${which}`, at % 2 === 0 ? null : "done");
      if (what === "yield") return { ...yielded(id), ...own };
      if (what === "end") return { ...ended(id), ...own };
      if (what === "start") return { ...started, ...own };
      if (what === "notice") return entry(id, { type: "Notice", text: "hm" });
      return { ...own, type: "ModelText", sample: 0, seen_id: null, text: "hm", redirected: true };
    });
  });

test("TIMELINE-5: folding a log gives the same state however it is cut into pieces, and whatever of it is told twice", () => {
  const property = fc.property(happening, fc.array(fc.nat(59), { maxLength: 8 }), fc.nat(59), (log, cuts, again) => {
    const whole = fold(EMPTY, log);
    let state = EMPTY;
    let from = 0;
    for (const to of [...cuts.toSorted((a, b) => a - b), log.length]) {
      state = fold(state, log.slice(from, Math.max(from, to)));
      from = Math.max(from, to);
    }
    expect(state).toEqual(whole);
    expect(log.reduce(reduce, EMPTY)).toEqual(whole);
    // Told once more at the end, an item stays what it was; only what a turn is at is the newest that was told.
    expect(fold(whole, log.slice(again)).items).toEqual(whole.items);
    expect(whole.items.map(({ id }) => id)).toEqual(whole.items.map(({ id }) => id).toSorted((a, b) => a - b));
  });
  fc.assert(property, { numRuns: 300 });
});

test("TIMELINE-6: the same message told twice is one item", () => {
  const property = fc.property(happening, (log) => {
    const { items } = fold(EMPTY, log);
    const chats = items.filter(({ kind }: FoldItem) => kind === "UserMessage").map(({ key }) => key);
    expect(chats).toEqual([...new Set(chats)]);
  });
  fc.assert(property, { numRuns: 100 });
});
