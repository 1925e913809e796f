import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { transact } from "./context.ts";
import { eachDatabase } from "./testing/hub.ts";

eachDatabase((open) => {
  test("what happens in one transaction happened at one moment, however long it takes, and later ones not before it", async () => {
    const hub = await open();
    const ctx = await hub.as(await hub.token("human", "ana"));
    const moments = (): Promise<number[]> =>
      transact(ctx, async (ctx) => {
        const first = ctx.now();
        // The hub's clock goes at half the pace at least; a database's may be behind the machine's.
        await setTimeout(10);
        return [first, ctx.now(), await transact(ctx, async (ctx) => ctx.now())];
      });
    const [one, another] = [await moments(), await moments()];
    expect(new Set(one).size).toBe(1);
    expect(another[0]).toBeGreaterThan(one[0] ?? Number.NaN);
  });
});
