/** What is due is done once, by somebody, whatever happens to others. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { statement } from "../db/statement.ts";
import { arm, disarm } from "../failpoints.ts";
import { append } from "../feed/index.ts";
import type { DueHandler } from "../module.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";
import { plan, Scheduler, unplan } from "./index.ts";

/** However slow the machine is. */
const SOON = { timeout: 30_000 };

const space = statement<{ id: string }, { emptied_at: string | null }>("select emptied_at from spaces where id = :id");
const START = Date.parse("2026-11-01T12:00:00Z");

eachDatabase((open, name) => {
  let hub: TestHub;
  let done: string[];
  const schedulers: Scheduler[] = [];
  beforeEach(async () => {
    done = [];
    hub = await open({ now: START });
  });
  afterEach(async () => {
    disarm();
    for (const scheduler of schedulers.splice(0)) await scheduler.stop();
  });

  /** Does `test.note` by saying so in the feed, and fails at `test.fail`. */
  const handlers: Record<string, DueHandler> = {
    "test.note": async (ctx, { ref }) => {
      await append(ctx, { type: "test.noted", topic: "test", stream: String(ref), data: {} });
    },
    "test.fail": async () => {
      throw new Error("not today");
    },
  };

  const start = (between: () => Promise<unknown> = async () => {}, node = hub) => {
    const failures: unknown[] = [];
    const scheduler = new Scheduler({
      database: new NodeView(node.hub.database, between),
      handlers: new Map(Object.entries(handlers)),
      ctx: (space_id) => hub.hub.ctx({ ...actor, space_id }),
      report: (error) => failures.push(error),
    });
    schedulers.push(scheduler);
    return { scheduler, failures };
  };
  const actor = {
    principal_id: "hub",
    name: "hub",
    kind: "service",
    roles: [],
    token_id: "",
    subscriber_id: "",
  } as const;

  const write = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
    hub.hub.database.write("main", (tx) => work({ ...hub.hub.ctx({ ...actor, space_id: "main" }), db: tx, tx }));
  const planned = (kind: string, refs: number, at = START) =>
    write(async (ctx) => {
      for (let ref = 0; ref < refs; ref++) await plan(ctx, { kind, ref, at: at + ref });
    });
  const listen = () => hub.hub.feed.listen({ space_id: "main", topic: "test" }, ({ stream }) => void done.push(stream));

  test("everything that is due is done in one go and in order, what is not due yet waits", async () => {
    await listen();
    await planned("test.note", 250, START - 200);
    const { scheduler, failures } = start();

    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(Array.from({ length: 201 }, (_, ref) => String(ref)));
    await hub.tick(60_000);
    await scheduler.sweep();
    await expect.poll(() => done.length, SOON).toBe(250);
    expect(failures).toEqual([]);
  });

  test("what fails is tried again later and stays, and holds up nothing behind it", async () => {
    await listen();
    await planned("test.fail", 150, START - 1000);
    await planned("test.note", 1, START);
    const { scheduler, failures } = start();

    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0"]);
    expect(failures).toHaveLength(150);
    await scheduler.sweep();
    expect(failures).toHaveLength(150);
    await hub.tick(31_000);
    await scheduler.sweep();
    expect(failures).toHaveLength(300);
  });

  test("a kind that nobody here knows stays for a newer node, is no reason to hurry and holds up nothing", async () => {
    await listen();
    let reads = 0;
    await planned("test.unheard-of", 150, START - 1000);
    await planned("test.note", 1, START);
    const { scheduler } = start(async () => {
      reads += 1;
    });

    scheduler.wake();
    await expect.poll(() => done, SOON).toEqual(["0"]);
    const before = reads;
    // Not a measurement: a scheduler in a hurry would read thousands of times.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(reads - before).toBeLessThan(20);

    handlers["test.unheard-of"] = async (ctx, { ref }) => handlers["test.note"]?.(ctx, { ref: ref + 1, at: 0 });
    await start().scheduler.sweep();
    delete handlers["test.unheard-of"];
    await expect.poll(() => done.length, SOON).toBe(151);
  });

  test("of several that sweep at once, on one node or on two, exactly one does each", async () => {
    await listen();
    await planned("test.note", 60, START - 100);
    const second = name === "postgres" ? await open({ same: hub }) : hub;
    const nodes = [hub, second, second].map((node) => start(undefined, node));

    await Promise.all(nodes.map(({ scheduler }) => scheduler.sweep()));

    await expect.poll(() => done.length, SOON).toBe(60);
    expect(new Set(done).size).toBe(60);
    expect(nodes.flatMap(({ failures }) => failures)).toEqual([]);
  });

  test("what was planned is done by itself as soon as its time has come", async () => {
    const real = await open();
    await real.call(real.admin, "space_create", { id: "sess_brief", ttl_seconds: 1 });

    const emptied = async () => (await real.hub.database.get(space, { id: "sess_brief" }))?.emptied_at;
    await expect.poll(emptied, SOON).toMatch(/Z$/);
  });

  test("planned twice it is done once, unplanned not at all", async () => {
    await listen();
    await planned("test.note", 2);
    await planned("test.note", 2, START - 50);
    await write((ctx) => unplan(ctx, { kind: "test.note", ref: 1 }));
    await hub.tick(1000);
    await start().scheduler.sweep();

    await expect.poll(() => done, SOON).toEqual(["0"]);
  });

  test("what breaks off before its commit leaves nothing behind and is done once the next time", async () => {
    await listen();
    await planned("test.note", 1);
    const { scheduler, failures } = start();
    arm("due.before_commit:throw");

    await scheduler.sweep();
    expect(failures).toHaveLength(1);
    await hub.tick(31_000);
    await scheduler.sweep();
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0"]);
  });

  test("a clock that jumps far ahead and back does everything once and nothing twice", async () => {
    await listen();
    const year = 365 * 24 * 3600 * 1000;
    await planned("test.note", 3, START + year);
    const { scheduler } = start();

    await scheduler.sweep();
    expect(done).toEqual([]);
    await hub.tick(2 * year);
    await scheduler.sweep();
    await hub.tick(-2 * year);
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "1", "2"]);
    await planned("test.note", 1, hub.hub.database.now());
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "1", "2", "0"]);
  });
});
