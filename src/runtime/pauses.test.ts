import { expect, test } from "vitest";
import { Pauses } from "./pauses.ts";

const how = "with a token that was revoked";
const why = "The token is unknown.";

/** Looked at every 15 seconds: when it was begun, and when that was told. */
function looks(pauses: Pauses, times: readonly number[], reasonAt: (ms: number) => string = () => why) {
  const [begun, told]: [number[], number[]] = [[], []];
  for (const now_ms of times) {
    if (!pauses.mayBegin("mason", { how, now_ms })) continue;
    begun.push(now_ms);
    if (pauses.add("mason", fails(now_ms, reasonAt(now_ms)))) told.push(now_ms);
  }
  return { begun, told };
}
const fails = (ms: number, reason: string) => ({ how, why: reason, began_ms: ms, now_ms: ms });
const QUARTERS = Array.from({ length: 81 }, (_, n) => n * 15_000);

test("an agent that cannot be run is told of once, and tried again after longer and longer pauses", () => {
  const { begun, told } = looks(new Pauses(), QUARTERS);
  expect(begun.map((ms) => ms / 1000)).toEqual([0, 15, 45, 105, 225, 465, 765, 1065]);
  expect(told).toEqual([0]);
});

test("another reason is told of, what is run in another way is begun at once, and what went well for long fails anew", () => {
  const pauses = new Pauses();
  expect(looks(pauses, QUARTERS.slice(0, 4), (ms) => (ms < 45_000 ? why : "It is gone.")).told).toEqual([0, 45_000]);
  expect(pauses.mayBegin("mason", { how: "with a new token", now_ms: 45_001 })).toBe(true);
  expect(pauses.mayBegin("mason", { how, now_ms: 45_001 })).toBe(false);
  expect(pauses.add("mason", { how, why: "It is gone.", began_ms: 105_000, now_ms: 405_000 })).toBe(true);
  expect(pauses.mayBegin("mason", { how, now_ms: 420_000 })).toBe(true);
});
