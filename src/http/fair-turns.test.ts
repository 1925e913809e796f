import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FairTurns } from "./fair-turns.ts";

/** A principal that may ask 200 times a second begins four requests in a turn. */
const RATE = 200;
const A_TURN = 4;

test("whoever asks for a few things at a time waits for nobody, whatever others ask for", async () => {
  const turns = new FairTurns(RATE, () => 0);
  for (let n = 0; n < 100; n += 1) void turns.begin("ana");
  for (let n = 0; n < A_TURN; n += 1) expect(turns.begin("ben")).toBeUndefined();
});

test("of a thousand requests of one principal a few are begun in each turn of the event loop, in their order", async () => {
  const turns = new FairTurns(RATE, () => 0);
  const begun: number[] = [];
  const all = Array.from({ length: 1000 }, async (_, n) => {
    await turns.begin("ana");
    begun.push(n);
  });
  for (let most = A_TURN; begun.length < 1000; most += A_TURN) {
    await Promise.resolve();
    expect(begun.length).toBeLessThanOrEqual(most);
    await setImmediate();
  }
  await Promise.all(all);
  expect(begun).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  // Nothing is left of it: the next one begins at once.
  await setImmediate();
  await setImmediate();
  expect(turns.begin("ana")).toBeUndefined();
});

test("who comes while its own others wait is behind them", async () => {
  const turns = new FairTurns(RATE, () => 0);
  const begun: string[] = [];
  const ask = async (name: string): Promise<void> => {
    await turns.begin("ana");
    begun.push(name);
  };
  const first = Array.from({ length: A_TURN * 2 }, () => ask("first"));
  await setImmediate();
  const last = ask("last");
  await Promise.all([...first, last]);
  expect(begun.at(-1)).toBe("last");
});

test("of what is costly fewer are begun in a turn, down to one, and as many as before once it is not", async () => {
  let worked = 0;
  const turns = new FairTurns(RATE, () => worked);
  let begun = 0;
  const ask = async (cost: number): Promise<void> => {
    await turns.begin("ana");
    begun += 1;
    worked += cost;
  };
  const perTurn = async (): Promise<number> => {
    const before = begun;
    await setImmediate();
    return begun - before;
  };
  const costly = Array.from({ length: 20 }, () => ask(1.5));
  const seen: number[] = [];
  while (begun < 20) seen.push(await perTurn());
  // One costs less than a turn may: so now and then there are two.
  expect(Math.max(...seen.slice(4))).toBe(2);
  expect(seen.filter((count) => count === 1).length).toBeGreaterThan(2);
  await Promise.all(costly);
  await perTurn();
  await perTurn();
  for (let n = 0; n < A_TURN; n += 1) expect(turns.begin("ana")).toBeUndefined();
});
