import fc from "fast-check";
import { expect, test } from "vitest";
import { FOLDERS } from "./address.ts";
import { after, inverse, isIn } from "./copies.ts";
import type { Copy } from "./types.ts";

const now = "2026-11-18T10:00:00.000Z";
const later = "2026-11-19T10:00:00.000Z";
const time = fc.constantFrom(null, "2026-11-17T10:00:00.000Z");
const copies = fc
  .record({
    state: fc.constantFrom("inbox" as const, "archived" as const, "trash" as const),
    read_at: time,
    acked_at: time,
    snoozed_until: fc.constantFrom(null, "2026-11-20T10:00:00.000Z"),
  })
  // Only what is in the inbox is snoozed: the hub wakes what is sorted away.
  .map((copy): Copy => (copy.state === "inbox" ? copy : { ...copy, snoozed_until: null }));
const actions = fc.constantFrom("read", "unread", "archive", "trash", "inbox", "snooze");

test("what is taken back is where and as it was", () => {
  fc.assert(
    fc.property(copies, actions, (copy, action) => {
      let changed = after(copy, action, { now, until: later });
      for (const step of inverse([{ ...copy, id: "1" }], action))
        changed = after(changed, step.action, { now, ...step });
      expect({ ...changed, read_at: changed.read_at !== null }).toEqual({ ...copy, read_at: copy.read_at !== null });
    }),
  );
});

test("several are taken back in as few steps as there are ways they were, and an acknowledgement is not", () => {
  const inbox = { state: "inbox", read_at: null, acked_at: null, snoozed_until: null } as const;
  const before = [
    { ...inbox, id: "1" },
    { ...inbox, id: "2" },
    { ...inbox, id: "3", snoozed_until: later },
  ];
  expect(inverse(before, "archive")).toEqual([
    { action: "inbox", ids: ["1", "2"] },
    { action: "snooze", until: later, ids: ["3"] },
  ]);
  expect(inverse(before, "ack")).toEqual([]);
});

test("a copy stands in one folder, and what is unread in the inbox too", () => {
  fc.assert(
    fc.property(copies, (copy) => {
      const folders = FOLDERS.filter((folder) => isIn(copy, folder));
      expect(folders.filter((folder) => folder !== "unread")).toHaveLength(1);
      if (folders.includes("unread")) expect(folders).toContain("inbox");
    }),
  );
});
