/** Whoever follows some topics from a position on is told each of their events once and in order, and delays nobody. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TxCtx, transact } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";
import { append, appendGroup } from "./append.ts";
import { Feed } from "./feed.ts";
import { Following, MOST_SCANNED } from "./follow.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };
const WANTED = new Map([
  ["notes", { streams: ["a", "b"] }],
  ["news", { streams: null }],
]);
const isWanted = ({ topic, stream }: { topic: string; stream: string }): boolean =>
  topic === "news" || (topic === "notes" && stream !== "c");

eachDatabase((open) => {
  let hub: TestHub;
  const followings: Following[] = [];
  beforeEach(async () => {
    hub = await open();
  });
  afterEach(() => {
    for (const following of followings.splice(0)) following[Symbol.dispose]();
  });

  const inTx = async <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> => transact(await hub.as(hub.admin), work);
  /** Alone, or with count several stored as one row. */
  const write = ({ topic, stream, count }: { topic: string; stream: string; count: number }) =>
    inTx(async (ctx) => {
      if (count === 1) return [await append(ctx, { type: "said", topic, stream, data: {} })];
      const own = Array.from({ length: count }, () => ({ id: ctx.tx.takeId(), type: "said", stream, data: {} }));
      await appendGroup(ctx, { topic, ref: 1, data: {} }, own);
      return own.map(({ id }) => id);
    });

  const follow = async (after: number | undefined, room: (told: number) => boolean, db: Reader = hub.hub.database) => {
    const told: number[] = [];
    const failures: unknown[] = [];
    const options = {
      feed: hub.hub.feed,
      db,
      space_id: "main",
      wanted: WANTED,
      tell: ({ id }: { id: number }) => {
        told.push(id);
        return room(told.length);
      },
      onrest: () => {},
      onfail: (error: unknown) => void failures.push(error),
    };
    const following = await Following.open(options, after);
    followings.push(following);
    return { following, told, failures };
  };

  test("from whatever position, with whatever room and whatever is written meanwhile, each wanted event is told once", async () => {
    const events = fc.array(
      fc.record({
        topic: fc.constantFrom("notes", "news", "other"),
        stream: fc.constantFrom("a", "b", "c"),
        count: fc.constantFrom(1, 1, 1, 5),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        events,
        events,
        fc.nat(12),
        fc.integer({ min: 1, max: 4 }),
        async (before, after, from, room) => {
          const wanted: number[] = [];
          const all: number[] = [];
          const say = async (event: Parameters<typeof write>[0]) => {
            const ids = await write(event);
            all.push(...ids);
            if (isWanted(event)) wanted.push(...ids);
          };
          await write({ topic: "other", stream: "a", count: 1 }).then((ids) => all.push(...ids));
          for (const event of before) await say(event);
          const start = all[from % all.length] ?? 0;
          const { following, told, failures } = await follow(start, (count) => count % room !== 0);
          following.resume();
          for (const event of after) await say(event);
          const expected = wanted.filter((id) => id > start);
          await expect
            .poll(() => {
              following.resume();
              return told.length;
            }, SOON)
            .toBe(expected.length);
          expect([told, failures]).toEqual([expected, []]);
          following[Symbol.dispose]();
        },
      ),
      { numRuns: 10 },
    );
  });

  test("what is others' is gone through a page at a time, and everybody else has a turn in between", async () => {
    const pages = 4;
    const start = await inTx((ctx) => append(ctx, { type: "said", topic: "other", stream: "a", data: {} }));
    for (let page = 0; page < pages; page += 1)
      await inTx((ctx) =>
        Promise.all(
          Array.from({ length: MOST_SCANNED }, () =>
            append(ctx, { type: "said", topic: "other", stream: "a", data: {} }),
          ),
        ),
      );
    const [last] = await write({ topic: "news", stream: "a", count: 1 });
    const turns: number[] = [];
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const given: number[] = [];
    const db: Reader = {
      get: (statement, args) => {
        turns.push(turn);
        return hub.hub.database.get(statement, args);
      },
      all: async (statement, args) => {
        const rows = await hub.hub.database.all(statement, args);
        given.push(rows.length);
        return rows;
      },
    };
    const { following, told } = await follow(start, () => true, db);
    following.resume();
    await expect.poll(() => told, SOON).toEqual([last]);
    counting = false;

    expect(given).toEqual([...Array.from({ length: pages }, () => 0), 1]);
    expect(new Set(turns).size).toBe(turns.length);
  });

  test("nothing is told before whoever follows is ready, and after it has left", async () => {
    const { following, told } = await follow(undefined, () => true);
    const [first] = await write({ topic: "news", stream: "a", count: 1 });
    expect(told).toEqual([]);
    following.resume();
    await expect.poll(() => told, SOON).toEqual([first]);
    following[Symbol.dispose]();
    await write({ topic: "news", stream: "a", count: 1 });
    expect(told).toEqual([first]);
  });

  test("one that fails to open at whatever step leaves nobody listening", async () => {
    const view = new NodeView(hub.hub.database, async () => {});
    const away = new Error("away");
    const failing: Reader = { get: () => Promise.reject(away), all: () => Promise.reject(away) };
    class OneAlone extends Feed {
      heard = 0;
      override listen(...of: Parameters<Feed["listen"]>): ReturnType<Feed["listen"]> {
        this.heard += 1;
        return this.heard === 1 ? super.listen(...of) : Promise.reject(away);
      }
    }
    const rest = { space_id: "main", wanted: WANTED, tell: () => true, onrest: () => {}, onfail: () => {} };

    // The position is asked for when it listens already.
    await expect(Following.open({ ...rest, feed: new Feed(view, () => {}), db: failing }, undefined)).rejects.toBe(
      away,
    );
    expect(view.watched).toEqual([]);
    // It listens to the first of what is wanted, and not to the second.
    const feed = new OneAlone(view, () => {});
    await expect(Following.open({ ...rest, feed, db: hub.hub.database }, undefined)).rejects.toBe(away);
    expect([feed.heard, view.watched]).toEqual([2, []]);

    // And it is seen where somebody does.
    const open = await Following.open({ ...rest, feed: new Feed(view, () => {}), db: hub.hub.database }, undefined);
    expect(view.watched).toEqual(["main"]);
    open[Symbol.dispose]();
    expect(view.watched).toEqual([]);
  });

  test("a reading that fails is said so, and goes on from its position when there is word again", async () => {
    let broken = true;
    const db: Reader = {
      get: (statement, args) => (broken ? Promise.reject(new Error("away")) : hub.hub.database.get(statement, args)),
      all: (statement, args) => hub.hub.database.all(statement, args),
    };
    const [first] = await write({ topic: "news", stream: "a", count: 1 });
    const { following, told, failures } = await follow((first ?? 0) - 1, () => true, db);
    following.resume();
    await expect.poll(() => failures, SOON).toHaveLength(1);
    broken = false;
    following.resume();
    await expect.poll(() => told, SOON).toEqual([first]);
  });
});
