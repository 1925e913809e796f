import { expect, test } from "vitest";
import { Few } from "./few.ts";

test("no more than a few do something at a time, in the order they came, and one that fails makes room", async () => {
  const few = new Few(2);
  const begun: number[] = [];
  let now = 0;
  let most = 0;
  const piece = async (n: number): Promise<void> => {
    begun.push(n);
    now += 1;
    most = Math.max(most, now);
    await new Promise((done) => setImmediate(done));
    now -= 1;
    if (n % 3 === 0) throw new Error("not me");
  };
  await Promise.allSettled(Array.from({ length: 10 }, (_, n) => few.run(() => piece(n))));
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(2);
});
