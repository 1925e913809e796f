import { expect, test } from "vitest";
import { messageOf, messagesOf } from "../../testing/messages.ts";
import { pendingRow, RowMaker } from "./rows.ts";

test("one new message makes one new row; all others are the same objects as before", () => {
  const maker = new RowMaker();
  const messages = messagesOf(1, 100);
  const before = maker.rows(messages, undefined);
  const after = maker.rows([...messages, messageOf(101)], undefined);
  expect(after.filter((row, at) => row !== before[at])).toHaveLength(1);
  const earlier = maker.rows([messageOf(0), ...messages], undefined);
  // The one that was the first has another one before it now.
  expect(earlier.filter((row) => !before.includes(row)).map(({ key }) => key)).toEqual(["0", "1"]);
});

test("who speaks is said when it changes, after a pause and below a line, not at every message", () => {
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 5, 12, minutes)).toISOString();
  const mine = { author: "user", author_principal: "ana" } as const;
  const messages = [
    messageOf(1, { ts: at(0) }),
    messageOf(2, { ts: at(1) }),
    messageOf(3, { ts: at(2), ...mine }),
    messageOf(4, { ts: at(3), ...mine }),
    messageOf(5, { ts: at(9), ...mine }),
    messageOf(6, { ts: at(10), ...mine }),
  ];
  const rows = new RowMaker().rows(messages, "6");
  expect(rows.map(({ head }) => head)).toEqual([true, false, true, false, true, true]);
  expect(rows.map(({ unread }) => unread)).toEqual([false, false, false, false, false, true]);
});

test("a day is named where it begins", () => {
  const noon = (day: number) => new Date(2026, 0, day, 12).toISOString();
  const messages = [5, 5, 6, 8].map((day, at) => messageOf(at, { ts: noon(day) }));
  expect(new RowMaker().rows(messages, undefined).map(({ day }) => day)).toEqual([true, false, true, true]);
});

test("what is being sent goes on from own words, and from nobody else's", () => {
  const pending = { key: "k", content: "hello", state: "sending", after_id: null } as const;
  const ts = new Date(0).toISOString();
  expect(pendingRow(pending, messageOf(1), "ana", ts)).toMatchObject({ key: "k", head: true, pending });
  const mine = messageOf(1, { author: "user", author_principal: "ana" });
  expect(pendingRow(pending, mine, "ana", ts).head).toBe(false);
  expect(pendingRow(pending, { ...mine, author_principal: "ben" }, "ana", ts).head).toBe(true);
});
