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
        while (Date.now() < first + 5) await new Promise((resolve) => setTimeout(resolve, 1));
        return [first, ctx.now(), await transact(ctx, async (ctx) => ctx.now())];
      });
    const [one, another] = [await moments(), await moments()];
    expect(new Set(one).size).toBe(1);
    expect(another[0]).toBeGreaterThan(one[0] ?? Number.NaN);
  });
});
