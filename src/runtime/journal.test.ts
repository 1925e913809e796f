import { expect, test } from "vitest";
import type { NewEvent } from "../modules/timeline/index.ts";
import { Journal } from "./journal.ts";
import { RetryingPort } from "./port.ts";

function open() {
  const recorded: NewEvent[][] = [];
  const port = new RetryingPort({ call: async () => ({}), tools: async () => [] });
  const record = async (events: NewEvent[]) => void recorded.push(events);
  const { signal } = new AbortController();
  return { recorded, journal: new Journal({ turn_id: "7", seen_id: "7", sample: 0, port, record, signal }) };
}

const call = (n: number) => ({ id: `call-${n}`, tool: "read_file", arguments: "{}" });

test("what a program tells is recorded in its order, a few at a time, each call and each result once", async () => {
  const { journal, recorded } = open();
  journal.wrote("Let ");
  journal.wrote("me see.");
  journal.called(call(1));
  journal.called(call(1));
  journal.returned("call-1", { outcome: "done", output: "so\0so" });
  journal.returned("call-1", { outcome: "failed", output: "again" });
  journal.returned("call-2", { outcome: "done", output: "of nothing" });
  journal.wrote("Well.");
  await journal.end({ redirected: true });
  journal.wrote("Too late.");
  await journal.end({ redirected: false });
  const call_id = "7-0-0";
  expect(recorded.flat()).toMatchObject([
    { type: "ModelText", sample: 0, text: "Let me see.", redirected: false },
    { type: "ToolCall", sample: 0, call_id },
    { type: "ToolOutput", call_id, outcome: "done", output: "so\ufffdso" },
    { type: "ModelText", sample: 1, text: "Well.", redirected: true },
  ]);
  expect(new Set(recorded.flat().map(({ key }) => key)).size).toBe(4);
  expect(recorded.every((events) => events.length <= 50)).toBe(true);
});

test("where nothing was told there is one entry all the same, from which the hub learns what was taken", async () => {
  const { journal, recorded } = open();
  await journal.end({ redirected: false });
  expect(recorded).toMatchObject([[{ type: "ModelText", seen_id: "7", text: "" }]]);
});

test("more calls than a turn may have, or more text, end it", () => {
  const { journal } = open();
  for (let n = 0; n < 2000; n += 1) journal.called(call(n));
  expect(journal.signal.aborted).toBe(false);
  journal.called(call(2000));
  expect(journal.failure).toMatchObject({ message: "It made more than 2000 calls." });
  const other = open().journal;
  for (let n = 0; n < 17; n += 1) other.wrote("x".repeat(1024 * 1024));
  expect(other.failure).toMatchObject({ message: "It told more than a turn may have." });
});

test("what cannot be recorded ends it", async () => {
  const port = new RetryingPort({ call: async () => ({}), tools: async () => [] });
  const refused = new Error("The turn is over.");
  const record = () => Promise.reject(refused);
  const { signal } = new AbortController();
  const journal = new Journal({ turn_id: "7", seen_id: "7", sample: 0, port, record, signal });
  journal.called(call(1));
  await journal.end({ redirected: false });
  expect(journal.failure).toBe(refused);
});
