/** What a module does after events: each once and in order, and none for ever in the way of the rest. */
import { beforeEach, expect, test } from "vitest";
import { type TxCtx, transact } from "../context.ts";
import { statement } from "../db/statement.ts";
import { plan } from "../due/index.ts";
import type { Module } from "../module.ts";
import { eachDatabase, type HubOptions, type TestHub } from "../testing/hub.ts";
import { append } from "./append.ts";
import { type Consumer, consumerDue } from "./consumers.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };
const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const KIND = "consume.sampler";

const seen = statement<Record<string, never>, { ref: number }>(
  "select ref from events where space_id = 'main' and type = 'sample.seen' order by id",
);
const planned = statement<Record<string, never>, { attempt: number }>(
  "select attempt from due where space_id = 'main' and kind = 'consume.sampler'",
);
const dead = statement<Record<string, never>, { kind: string; payload: string; error: string }>(
  "select kind, payload, error from due_dead where space_id = 'main'",
);
const kept = statement<Record<string, never>, { id: number }>(
  "select id from events where space_id = 'main' and type = 'note.made' order by id",
);

eachDatabase((open) => {
  let hub: TestHub;
  let runs: number[];
  let broken: number[];
  beforeEach(() => {
    [runs, broken] = [[], []];
  });

  /** Notes in the feed which events it has seen, all but those that are broken. */
  const sampler: Consumer = {
    topic: "notes",
    types: ["note.made"],
    run: async (ctx, { id }) => {
      if (!ctx.tx.prefetching) runs.push(id);
      await append(ctx, { type: "sample.seen", topic: "sample", stream: "", ref: id, data: {} });
      if (broken.includes(id)) throw new Error("not this one");
    },
  };
  const sample: Module = { name: "sample", servers: [], tools: [], tables: [], after: { sampler } };
  const start = async (options: HubOptions = {}) => {
    hub = await open({ modules: [sample], ...options });
  };
  const inTx = async <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> => transact(await hub.as(hub.admin), work);
  const note = (ctx: TxCtx, type = "note.made") => append(ctx, { type, topic: "notes", stream: "a", data: {} });
  const write = (count: number) =>
    inTx(async (ctx) => {
      const ids: number[] = [];
      for (let n = 0; n < count; n += 1) ids.push(await note(ctx));
      return ids;
    });
  const handled = async () => (await hub.hub.database.all(seen, {})).map(({ ref }) => ref);

  test("each event is handled once and in order, however many there are, also across a restart", async () => {
    await start();
    const ids: number[] = [];
    for (const count of [1, 250, 3]) ids.push(...(await write(count)));
    await inTx((ctx) => note(ctx, "note.other"));
    await hub.stop();
    await start({ same: hub });
    ids.push(...(await write(20)));

    await expect.poll(handled, SOON).toEqual(ids);
    await expect.poll(() => hub.hub.database.all(planned, {}), SOON).toEqual([]);
  });

  test("it begins with the first event since it was there", async () => {
    await start({ modules: [] });
    await write(3);
    await hub.stop();
    await start({ same: hub });
    const ids = await write(2);
    await expect.poll(handled, SOON).toEqual(ids);
  });

  test("an event that fails again and again is given up by itself, and the rest goes on", async () => {
    await start({ now: START });
    const ids = await inTx(async (ctx) => {
      const made: number[] = [];
      for (let n = 0; n < 20; n += 1) made.push(await note(ctx));
      broken = [made[7] ?? 0];
      return made;
    });
    const [poison = 0] = broken;
    await expect.poll(() => hub.hub.database.all(planned, {}), SOON).toEqual([{ attempt: 1 }]);
    await hub.tick(15_000);
    // What came before it is through, and it is by itself from now on.
    expect(await handled()).toEqual(ids.slice(0, 7));
    for (let hour = 0; hour < 10; hour += 1) await hub.tick(HOUR);

    expect(await handled()).toEqual(ids.filter((id) => id !== poison));
    expect(runs.filter((id) => id === poison)).toHaveLength(8);
    const parked = await hub.hub.database.all(dead, {});
    expect(parked).toMatchObject([{ kind: KIND, error: "not this one" }]);
    expect(JSON.parse(parked[0]?.payload ?? "")).toMatchObject({ failed: poison });
    const { notices } = (await hub.call(hub.admin, "notice_list", {})).body;
    expect(notices).toMatchObject([{ kind: "due.dead", times: 1 }]);
  });

  test("an event whose write the database refuses is given up as well, and the rest goes on", async () => {
    const module: Module = {
      ...sample,
      after: {
        sampler: {
          ...sampler,
          run: async (ctx, event) => {
            await sampler.run(ctx, event);
            if (refused.includes(event.id)) await ctx.tx.run(twice, {});
          },
        },
      },
    };
    const refused: number[] = [];
    await start({ now: START, modules: [module] });
    const ids = await inTx(async (ctx) => {
      const made: number[] = [];
      for (let n = 0; n < 8; n += 1) made.push(await note(ctx));
      refused[0] = made[5] ?? 0;
      return made;
    });
    for (let hour = 0; hour < 12; hour += 1) await hub.tick(HOUR);

    expect(await handled()).toEqual(ids.filter((id) => !refused.includes(id)));
    expect(await hub.hub.database.all(dead, {})).toMatchObject([{ kind: KIND }]);
  });

  test("what failed for a while is handled as soon as it can be, in order", async () => {
    await start({ now: START });
    const ids = await inTx(async (ctx) => {
      const made = [await note(ctx), await note(ctx), await note(ctx)];
      broken = [made[1] ?? 0];
      return made;
    });
    await hub.tick(15_000);
    await hub.tick(60_000);
    broken = [];
    await hub.tick(HOUR);
    expect(await handled()).toEqual(ids);
    expect(await hub.hub.database.all(dead, {})).toEqual([]);
  });

  test("on a hub that does not know who handles them, events wait for one that does", async () => {
    await start({ now: START });
    await hub.stop();
    const ids = await (async () => {
      await start({ same: hub, modules: [{ ...sample, after: { sampler: { ...sampler, run: never } } }] });
      const made = await write(5);
      await hub.stop();
      return made;
    })();
    await start({ same: hub, modules: [] });
    await hub.tick(DAY);
    expect(await hub.hub.database.all(planned, {})).toHaveLength(1);
    await hub.stop();
    await start({ same: hub });
    await hub.tick(HOUR);
    await expect.poll(handled, SOON).toEqual(ids);
  });
  const never = async () => {
    throw new Error("not here");
  };

  test("a slow one handles as many at a time as do not keep others waiting", async () => {
    await start({ modules: [] });
    let now = 0;
    const slow: Consumer = {
      ...sampler,
      run: async (ctx, event) => {
        now += 3;
        await sampler.run(ctx, event);
      },
    };
    const handle = consumerDue(new Map([["sampler", slow]]), () => now).handlers[KIND];
    const ids = await write(5);
    const due = { ref: 0, at: 0, payload: { after: (ids[0] ?? 0) - 1 }, attempt: 0 };
    for (const through of [2, 4, 5]) {
      await inTx((ctx) => handle?.(ctx, due, hub.hub.config) ?? Promise.reject(new Error("no handler")));
      expect(await handled()).toEqual(ids.slice(0, through));
    }
  });

  test("events that somebody has not handled yet are kept for them, a week longer at most", async () => {
    await start({ now: START, config: { event_days: 3 } });
    const ids = await write(4);
    await expect.poll(handled, SOON).toEqual(ids);
    const [, second = 0] = ids;
    // As if it had got no further than the second, and cannot go on before long.
    await inTx(async (ctx) => {
      await plan(ctx, { kind: KIND, ref: 0, at: START + 50 * DAY, payload: { after: second } });
      await ctx.tx.run(back, { last_id: second });
    });
    const left = async () => (await hub.hub.database.all(kept, {})).map(({ id }) => id);
    await hub.tick(4 * DAY);
    expect(await left()).toEqual(ids.slice(2));
    await hub.tick(5 * DAY);
    expect(await left()).toEqual(ids.slice(2));
    await hub.tick(2 * DAY);
    expect(await left()).toEqual([]);
  });
});

const twice = statement<Record<string, never>>("insert into hub (name, value) values ('epoch', 'again')");
const back = statement<{ last_id: number }>(
  "update watermarks set last_id = :last_id where subscriber_id = 'consume.sampler'",
);
