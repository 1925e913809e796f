/** What must never differ from an event is written with it, or neither is. */
import { beforeEach, expect, test } from "vitest";
import { type TxCtx, transact } from "../context.ts";
import { statement } from "../db/statement.ts";
import { once } from "../idempotency.ts";
import type { Module } from "../module.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { append, appendGroup } from "./append.ts";
import type { Reaction } from "./reactions.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };

const types = statement<Record<string, never>, { type: string }>(
  "select type from events where space_id = 'main' and topic = 'sample' order by id",
);
const keys = statement<Record<string, never>, { key: string }>("select key from idempotency");

eachDatabase((open) => {
  let hub: TestHub;
  let refuses: boolean;
  let seen: string[][];
  beforeEach(async () => {
    [refuses, seen] = [false, []];
    hub = await open({ modules: [sample] });
  });

  const say = (ctx: TxCtx, type: string) => append(ctx, { type, topic: "sample", stream: "", data: {} });
  const said = async (db: Pick<TxCtx["db"], "all"> = hub.hub.database) =>
    (await db.all(types, {})).map(({ type }) => type);
  const then =
    (type: string): Reaction =>
    async (ctx) =>
      void (await say(ctx, type));
  const sample: Module = {
    name: "sample",
    servers: [],
    tools: [],
    tables: [],
    with: {
      "sample.made": async (ctx) => {
        seen.push(await said(ctx.tx));
        await say(ctx, "sample.noted");
        if (refuses) throw new Error("not so");
      },
      "sample.one": then("sample.two"),
      "sample.two": then("sample.three"),
      "sample.three": then("sample.four"),
      "sample.four": then("sample.five"),
      "sample.round": then("sample.round"),
    },
    after: {
      later: { topic: "sample", types: ["sample.noted"], run: async (ctx) => void (await say(ctx, "sample.late")) },
    },
  };
  const inTx = async <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> => transact(await hub.as(hub.admin), work);

  test("a reaction sees everything the operation wrote, and is in the same transaction", async () => {
    const commits: string[][] = [];
    hub.hub.database.onCommit(({ events }) => commits.push(events.map(({ type }) => type)));
    await inTx(async (ctx) => {
      await say(ctx, "sample.made");
      // Of an operation within an operation too: only the whole one is through.
      await transact(ctx, (ctx) => say(ctx, "sample.inner"));
      await say(ctx, "sample.last");
    });
    expect(seen.at(-1)).toEqual(["sample.made", "sample.inner", "sample.last"]);
    const whole = ["sample.made", "sample.inner", "sample.last", "sample.noted"];
    await expect.poll(() => commits[0], SOON).toEqual(whole);
    // What it wrote is handled like any other.
    await expect.poll(said, SOON).toContain("sample.late");
  });

  test("if it fails nothing is written, and the key of the call is free", async () => {
    refuses = true;
    const call = () =>
      inTx((ctx) => once(ctx, { tool: "t", key: "k", args: {} }, async () => ({ id: await say(ctx, "sample.made") })));
    await expect(call()).rejects.toThrow("not so");
    expect([await said(), await hub.hub.database.all(keys, {})]).toEqual([[], []]);
    refuses = false;
    const made = await call();
    expect(await call()).toEqual(made);
    expect((await said()).filter((type) => type !== "sample.late")).toEqual(["sample.made", "sample.noted"]);
  });

  test("events that are stored together are reacted to one by one", async () => {
    await inTx(async (ctx) => {
      const own = [1, 2, 3].map(() => ({ id: ctx.tx.takeId(), type: "sample.made", stream: "", data: {} }));
      await appendGroup(ctx, { topic: "sample", ref: 1, data: {} }, own);
    });
    expect((await said()).filter((type) => type === "sample.noted")).toHaveLength(3);
  });

  test("a reaction may lead to another, four deep; what would not end is refused", async () => {
    await inTx((ctx) => say(ctx, "sample.one"));
    const deep = ["sample.one", "sample.two", "sample.three", "sample.four", "sample.five"];
    expect(await said()).toEqual(deep);
    await expect(inTx((ctx) => say(ctx, "sample.round"))).rejects.toMatchObject({ code: "REACTION_LOOP" });
    expect(await said()).toEqual(deep);
  });
});
