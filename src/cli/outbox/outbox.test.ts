import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Failure } from "../core/failure.ts";
import { Home } from "../core/home.ts";
import { keyAfter, MOST_PENDING, Outbox, type Queued } from "./outbox.ts";

let folder: string;
let outbox: Outbox;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-outbox-"));
  outbox = new Outbox(new Home(join(folder, "home")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (key: string): Queued => ({
  key,
  tool: "mail_send",
  args: { subject: key },
  queued_at: "2026-01-31T12:00:00.000Z",
  sender: {},
});

test("each key sorts behind the one before, whatever the clock says, and is a UUID of version 7", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 45 }), { minLength: 2, maxLength: 50 }), (times) => {
      let last: string | undefined;
      for (const now of times) {
        const key = keyAfter(last, now);
        expect(key).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        if (last !== undefined) expect(key > last).toBe(true);
        last = key;
      }
    }),
  );
});

test("what was put in is there in the order it was put in, until it is taken out", () => {
  const keys = Array.from({ length: 5 }, () => {
    const key = outbox.nextKey();
    outbox.add(entry(key));
    return key;
  });
  expect(outbox.keys()).toEqual(keys);
  expect(outbox.read(keys[1] ?? "")).toEqual(entry(keys[1] ?? ""));
  expect([outbox.remove(keys[1] ?? ""), outbox.remove(keys[1] ?? "")]).toEqual([true, false]);
  expect(outbox.read(keys[1] ?? "")).toBeUndefined();
  outbox.refuse(entry(keys[0] ?? ""), { code: "RECIPIENT_NOT_FOUND", reason: "Nobody." });
  expect([outbox.keys(), outbox.refused.all()]).toEqual([
    keys.slice(2),
    [expect.objectContaining({ key: keys[0], code: "RECIPIENT_NOT_FOUND", reason: "Nobody." })],
  ]);
});

test("no more than a hundred wait, and one too many leaves nothing behind", () => {
  for (let n = 0; n < MOST_PENDING; n++) outbox.add(entry(outbox.nextKey()));
  const full = (): void => outbox.add(entry(outbox.nextKey()));
  expect(full).toThrow(Failure);
  expect(full).toThrow(/100 operations wait/);
  expect(readdirSync(outbox.path)).toHaveLength(MOST_PENDING);
});

test("other files in the folder are none of it", () => {
  expect(outbox.keys()).toEqual([]);
  const key = outbox.nextKey();
  outbox.add(entry(key));
  for (const name of ["lock", `.${key}.1`, "notes.json", "../x.json"]) expect(outbox.keys()).not.toContain(name);
  expect(outbox.keys()).toEqual([key]);
});
