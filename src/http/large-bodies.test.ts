import { expect, test } from "vitest";
import { LargeBodies } from "./large-bodies.ts";

const LARGE = 100 * 1024;

test("what is small waits for nobody", async () => {
  const bodies = new LargeBodies();
  using _turn = await bodies.begin("ana", LARGE);
  expect(bodies.begin("ben", 1024)).toBeUndefined();
});

test("large bodies are dealt with one at a time, and whoever sends one does not wait for all that somebody sends", async () => {
  const bodies = new LargeBodies();
  const dealt: string[] = [];
  let now = 0;
  const deal = async (who: string): Promise<void> => {
    using _turn = await bodies.begin(who, LARGE);
    now += 1;
    expect(now).toBe(1);
    dealt.push(who);
    await new Promise((done) => setImmediate(done));
    now -= 1;
  };
  await Promise.all(["ana", "ana", "ana", "ana", "ben"].map(deal));
  expect(dealt).toEqual(["ana", "ben", "ana", "ana", "ana"]);
});

test("one that waits for something keeps the next from its turn for a moment only", async () => {
  const bodies = new LargeBodies();
  const waiting = await bodies.begin("ana", LARGE);
  const next = await bodies.begin("ben", LARGE);
  waiting?.[Symbol.dispose]();
  // To end late what was over already gives nobody a second turn.
  let both = false;
  const third = bodies.begin("cleo", LARGE)?.then(() => {
    both = true;
  });
  await new Promise((done) => setImmediate(done));
  expect(both).toBe(false);
  next?.[Symbol.dispose]();
  await third;
});
