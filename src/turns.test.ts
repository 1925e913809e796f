import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function* saying(said: string[], who: string, times: number): Generator<void> {
  for (let n = 0; n < times; n += 1) yield void said.push(`${who}${n}`);
}

test("what is little is done at once", () => {
  const said: string[] = [];
  const turns = new Turns<string>();
  turns.begin("ana", saying(said, "ana", 3));
  expect(said).toEqual(["ana0", "ana1", "ana2"]);
  expect(turns.isBusy("ana")).toBe(false);
});

test("what is much is done a little in each turn of the event loop, and others have theirs in between", async () => {
  const said: string[] = [];
  const turns = new Turns<string>();
  turns.begin("ana", saying(said, "ana", 100));
  const done: number[] = [];
  while (turns.isBusy("ana")) {
    done.push(said.length);
    await setImmediate();
  }
  expect(said).toEqual(Array.from({ length: 100 }, (_, n) => `ana${n}`));
  expect(done.length).toBeGreaterThan(10);
});

test("whoever has little to do does not wait for whoever has much", async () => {
  const said: string[] = [];
  const turns = new Turns<string>();
  turns.begin("ana", saying(said, "ana", 1000));
  turns.begin("ben", saying(said, "ben", 3));
  while (turns.isBusy("ben")) await setImmediate();
  expect(said.filter((one) => one.startsWith("ben"))).toEqual(["ben0", "ben1", "ben2"]);
  expect(said.length).toBeLessThan(50);
});
