import { expect, test } from "vitest";
import { maskOf } from "../local/secrets.ts";
import type { NewEvent } from "../modules/timeline/index.ts";
import { Journal } from "./journal.ts";
import { RetryingPort } from "./port.ts";
import { Spending } from "./spending.ts";

function open() {
  const recorded: NewEvent[][] = [];
  const port = new RetryingPort({ call: async () => ({}), tools: async () => [] });
  const record = async (events: NewEvent[]) => void recorded.push(events);
  const { signal } = new AbortController();
  return {
    recorded,
    journal: new Journal({
      turn_id: "7",
      seen_id: "7",
      sample: 0,
      port,
      record,
      spending: new Spending(),
      mask: (text) => text,
      signal,
    }),
  };
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

test("what it was given in confidence is in nothing that it tells, and what is not all shown is not all decided about", async () => {
  const asked: object[] = [];
  const call = async (_tool: string, args: object) => {
    asked.push(args);
    return { id: "9", state: "answered", says: "yes", edited: false };
  };
  const port = new RetryingPort({ call, tools: async () => [] });
  const recorded: NewEvent[] = [];
  const record = async (events: NewEvent[]) => void recorded.push(...events);
  const { signal } = new AbortController();
  const mask = maskOf(["sk-very-secret"]);
  const journal = new Journal({
    turn_id: "7",
    seen_id: "7",
    sample: 0,
    port,
    record,
    spending: new Spending(),
    mask,
    signal,
  });
  journal.wrote("It is sk-ve");
  journal.wrote("ry-secret.");
  journal.called({ id: "a", tool: "bash", arguments: '{"cmd":"login sk-very-secret"}' });
  journal.returned("a", { outcome: "done", output: "you are sk-very-secret" });
  const request = { id: "a", server: "acp", tool: "bash", about: "to log in", can_allow: true, can_edit: true };
  await journal.ask({ ...request, arguments: { cmd: "login sk-very-secret" } }, signal);
  await journal.ask({ ...request, arguments: { cmd: "ls" } }, signal);
  await journal.end({ redirected: false });
  expect(recorded).toMatchObject([
    { text: "It is [secret]." },
    { arguments: '{"cmd":"login [secret]"}' },
    { output: "you are [secret]" },
  ]);
  expect(asked).toMatchObject([
    {
      ...{ arguments: { cmd: "login [secret]" }, covers: "preview", editable: false },
      about: "to log in\nA secret in the arguments is not shown.",
    },
    { arguments: { cmd: "ls" }, covers: "arguments", editable: true, about: "to log in" },
  ]);
});

test("where a secret is no text in the arguments, or more than one, people are asked all the same and shown none of them", async () => {
  const asked: unknown[] = [];
  const call = async (_tool: string, args: unknown) => {
    asked.push(args);
    return { id: "1", state: "answered", says: "" };
  };
  const port = new RetryingPort({ call: call as never, tools: async () => [] });
  const { signal } = new AbortController();
  const mask = maskOf(["1234567890", '"project_id":']);
  const parts = {
    turn_id: "7",
    seen_id: "7",
    sample: 0,
    port,
    record: async () => {},
    spending: new Spending(),
    mask,
    signal,
  };
  const journal = new Journal(parts);
  const request = { id: "a", server: "acp", tool: "bash", about: "", can_allow: true, can_edit: true };
  for (const args of [{ pin: 1_234_567_890 }, { project_id: "x" }])
    expect(await journal.ask({ ...request, arguments: args }, signal)).toMatchObject({ permission: "allow" });
  const hidden = { arguments: {}, covers: "preview", editable: false };
  const about = "The arguments are not shown, for a secret in them.";
  expect(asked).toMatchObject([
    { ...hidden, about },
    { ...hidden, about },
  ]);
  expect(journal.failure).toBe(undefined);
});

test("POLICY-18: arguments that are too long to be looked through are shown in part, and the card covers that part", async () => {
  const asked: object[] = [];
  const call = async (_name: string, args: object): Promise<object> => {
    asked.push(args);
    return { id: "1", state: "answered", says: "" };
  };
  const port = new RetryingPort({ call: call as never, tools: async () => [] });
  const { signal } = new AbortController();
  const record = async () => {};
  const parts = { turn_id: "7", seen_id: "7", sample: 0, port, record, spending: new Spending(), signal };
  const journal = new Journal({ ...parts, mask: (text) => text });
  const request = { id: "a", server: "acp", tool: "write", about: "", can_allow: true, can_edit: true };
  const given = { arguments: { content: "x".repeat(200_000) } };
  expect(await journal.ask({ ...request, ...given }, signal)).toMatchObject({ permission: "allow" });
  const about = "The arguments are too long to be shown as a whole.";
  expect(asked).toMatchObject([{ covers: "preview", editable: false, about }]);
  expect(JSON.stringify(asked).length).toBeLessThan(10_000);
  expect(asked).toMatchObject([{ arguments: { preview: expect.stringMatching(/^\{"content":"x+…$/) } }]);
  expect(journal.failure).toBe(undefined);
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
  const journal = new Journal({
    turn_id: "7",
    seen_id: "7",
    sample: 0,
    port,
    record,
    spending: new Spending(),
    mask: (text) => text,
    signal,
  });
  journal.called(call(1));
  await journal.end({ redirected: false });
  expect(journal.failure).toBe(refused);
});
