/** What is due is done once, by somebody, whatever happens to others. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { statement } from "../db/statement.ts";
import { arm, disarm } from "../failpoints.ts";
import { append } from "../feed/append.ts";
import type { DueHandler, DueJob } from "../module.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { NodeView } from "../testing/node-view.ts";
import { move, plan, Scheduler, unplan } from "./index.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };

const space = statement<{ id: string }, { emptied_at: string | null }>("select emptied_at from spaces where id = :id");
const rows = statement<{ kind: string }, { ref: number; at: string; attempt: number }>(
  "select ref, at, attempt from due where kind = :kind order by ref",
);
const buried = statement<Record<string, never>, { kind: string; ref: number; attempts: number; error: string }>(
  "select kind, ref, attempts, error from due_dead",
);
const START = Date.parse("2026-11-01T12:00:00Z");
const actor = {
  principal_id: "hub",
  name: "hub",
  kind: "service",
  roles: [],
  token_id: "",
  subscriber_id: "",
} as const;

eachDatabase((open, name) => {
  let hub: TestHub;
  let done: string[];
  /** Stands still: however slow the machine is, nothing takes any time, but where a test says so. */
  let clock = 0;
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
  const note = (ctx: TxCtx, stream: string) =>
    append(ctx, { type: "test.noted", topic: "test", stream, data: { moment: ctx.now() } });
  const handlers: Record<string, DueHandler> = {
    "test.note": async (ctx, { ref }) => void (await note(ctx, String(ref))),
    "test.fail": async () => {
      throw new Error("not today");
    },
  };

  const start = (between: () => Promise<unknown> = async () => {}, node = hub, more = {}, options = {}) => {
    const failures: unknown[] = [];
    const scheduler = new Scheduler({
      database: new NodeView(node.hub.database, between),
      config: hub.hub.config,
      handlers: new Map(Object.entries({ ...handlers, ...more })),
      ctx: (space_id) => hub.hub.ctx({ ...actor, space_id }),
      report: (error) => failures.push(error),
      random: () => 0.5,
      clock: () => clock,
      ...options,
    });
    schedulers.push(scheduler);
    return { scheduler, failures };
  };

  const write = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
    hub.hub.database.write("main", (tx) => work({ ...hub.hub.ctx({ ...actor, space_id: "main" }), db: tx, tx }));
  const planned = (kind: string, refs: number, at = START) =>
    write(async (ctx) => {
      for (let ref = 0; ref < refs; ref++) await plan(ctx, { kind, ref, at: at + ref });
    });
  const listen = () => hub.hub.feed.listen({ space_id: "main", topic: "test" }, ({ stream }) => void done.push(stream));
  const left = (kind: string) => hub.hub.database.all(rows, { kind });

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

  test("many rows of a space share a transaction, as many as it may take time", async () => {
    const commits: number[] = [];
    hub.hub.database.onCommit(({ events }) => {
      const noted = events.filter(({ type }) => type === "test.noted").length;
      if (noted > 0) commits.push(noted);
    });
    await planned("test.note", 60, START - 100);
    const { scheduler } = start();
    await scheduler.sweep();
    await expect.poll(() => commits, SOON).toEqual([1, 59]);

    commits.length = 0;
    await planned("test.slow", 9, START - 100);
    const slow: DueHandler = async (ctx, { ref }) => {
      clock += 2.5;
      await note(ctx, String(ref));
    };
    await start(undefined, hub, { "test.slow": slow }).scheduler.sweep();
    await expect.poll(() => commits, SOON).toEqual([1, 4, 4]);
  });

  test("who handles it gets what it was planned with, and how often it has failed", async () => {
    const given: unknown[] = [];
    await write((ctx) => plan(ctx, { kind: "test.payload", ref: 7, at: START, payload: { to: ["ana"], n: 3 } }));
    const { scheduler } = start(undefined, hub, {
      "test.payload": async (_ctx, due) => {
        given.push(due);
        if (due.attempt === 0) throw new Error("not yet");
      },
    } satisfies Record<string, DueHandler>);
    await scheduler.sweep();
    await hub.tick(13_000);
    await scheduler.sweep();

    expect(given.at(0)).toEqual({ ref: 7, at: START, payload: { to: ["ana"], n: 3 }, attempt: 0 });
    expect(given.at(-1)).toMatchObject({ ref: 7, payload: { to: ["ana"], n: 3 }, attempt: 1 });
    expect(await left("test.payload")).toEqual([]);
  });

  test("moved, it is done at its new time and not at the old one", async () => {
    await listen();
    await planned("test.note", 3, START);
    await write(async (ctx) => {
      await move(ctx, { kind: "test.note", ref: 1, at: START + 60_000 });
      await move(ctx, { kind: "test.note", ref: 9, at: START });
    });
    const { scheduler } = start();
    await hub.tick(1000);
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "9", "2"]);
    await hub.tick(60_000);
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "9", "2", "1"]);
  });

  test("what fails is tried again later and later, by itself, and holds up nothing behind it", async () => {
    await listen();
    await planned("test.fail", 150, START - 1000);
    await planned("test.note", 1, START);
    const { scheduler, failures } = start();

    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0"]);
    expect(failures).toHaveLength(150);
    await scheduler.sweep();
    expect(failures).toHaveLength(150);
    expect((await left("test.fail")).at(0)).toEqual({
      ref: 0,
      at: new Date(START + 10_000).toISOString(),
      attempt: 1,
    });
    await hub.tick(10_000);
    await scheduler.sweep();
    expect(failures).toHaveLength(300);
    expect((await left("test.fail")).at(0)).toMatchObject({ at: new Date(START + 30_000).toISOString(), attempt: 2 });
  });

  test("of many in one transaction the one that fails takes no other with it", async () => {
    await listen();
    await planned("test.mixed", 20, START - 100);
    const { scheduler, failures } = start(undefined, hub, {
      "test.mixed": async (ctx, { ref }) => {
        await note(ctx, String(ref));
        if (ref === 7) throw new Error("not this one");
      },
    } satisfies Record<string, DueHandler>);
    await scheduler.sweep();

    await expect.poll(() => done.length, SOON).toBe(19);
    expect(done).not.toContain("7");
    expect(new Set(done).size).toBe(19);
    expect(failures).toHaveLength(1);
    expect(await left("test.mixed")).toMatchObject([{ ref: 7, attempt: 1 }]);
  });

  test("what has failed eight times is kept apart, told once, and not tried again", async () => {
    await planned("test.fail", 1, START);
    const { scheduler, failures } = start();
    for (let hour = 0; hour < 12; hour += 1) {
      await scheduler.sweep();
      await hub.tick(3600 * 1000);
    }

    expect(failures).toHaveLength(8);
    expect(await left("test.fail")).toEqual([]);
    const kept = await hub.hub.database.all(buried, {});
    expect(kept).toEqual([{ kind: "test.fail", ref: 0, attempts: 8, error: "not today" }]);
    expect((await hub.call(hub.admin, "notice_list")).body.notices).toMatchObject([{ kind: "due.dead", times: 1 }]);
  });

  test("what has failed is given up whatever its error says, and holds up nothing", async () => {
    await planned("test.odd", 1);
    await planned("test.note", 1);
    const odd: DueHandler = async () => {
      throw new Error(`a\0b ${"x".repeat(495)}\u{1f600}`);
    };
    const { scheduler, failures } = start(undefined, hub, { "test.odd": odd });
    for (let hour = 0; hour < 12; hour += 1) {
      await scheduler.sweep();
      await hub.tick(3600 * 1000);
    }

    expect(failures).toHaveLength(8);
    expect(await left("test.odd")).toEqual([]);
    const error = `a\ufffdb ${"x".repeat(495)}…`;
    expect(await hub.hub.database.all(buried, {})).toMatchObject([{ kind: "test.odd", attempts: 8, error }]);
  });

  test("what is due in a space that is no more is dropped, and holds up nothing", async () => {
    const there = { ref: 0, at: START, space_id: "sess_gone" };
    await write(async (ctx) => {
      await plan(ctx, { ...there, kind: "test.note" });
      await plan(ctx, { ...there, kind: "test.job" });
    });
    await planned("test.note", 1, START);
    const stop = await listen();
    const jobs = new Map<string, DueJob>([["test.job", async () => ({})]]);
    const { scheduler, failures } = start(undefined, hub, {}, { jobs });
    await scheduler.sweep();

    await expect.poll(() => done, SOON).toEqual(["0"]);
    expect(failures).toEqual([]);
    for (const kind of ["test.note", "test.job"]) expect(await left(kind)).toEqual([]);
    stop();
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

    const newer = { "test.unheard-of": handlers["test.note"] };
    await start(undefined, hub, newer).scheduler.sweep();
    await expect.poll(() => done.length, SOON).toBe(151);
  });

  test("a kind with a great many slow rows delays none that comes due meanwhile", async () => {
    const order: string[] = [];
    const { scheduler } = start(undefined, hub, {
      "test.slow": async (ctx) => {
        clock += 2;
        await note(ctx, "slow");
      },
    } satisfies Record<string, DueHandler>);
    let others = 0;
    await hub.hub.feed.listen({ space_id: "main", topic: "test" }, ({ stream }) => {
      order.push(stream);
      if (others === 0) void planned("test.note", 1).then(() => scheduler.wake());
      others += 1;
    });
    await planned("test.slow", 400, START - 1000);
    await scheduler.sweep();

    await expect.poll(() => order.length, SOON).toBe(401);
    expect(order.indexOf("0")).toBeLessThan(350);
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

  test("what is moved after it was listed is done as it is by then, and only when it is due", async () => {
    const seen: unknown[] = [];
    const first: DueHandler = async (ctx, { ref, payload }) => {
      if (ctx.tx.prefetching) return;
      seen.push([ref, payload]);
      if (ref > 0) return;
      await move(ctx, { kind: "test.note", ref: 1, at: START - 1000, payload: "moved" });
      await move(ctx, { kind: "test.note", ref: 2, at: START + 60_000, payload: "later" });
    };
    await planned("test.note", 3, START - 1000);
    const { scheduler } = start(undefined, hub, { "test.note": first });

    await scheduler.sweep();
    expect(seen).toEqual([
      [0, undefined],
      [1, "moved"],
    ]);
    await hub.tick(61_000);
    await scheduler.sweep();
    expect(seen.at(-1)).toEqual([2, "later"]);
    expect(seen).toHaveLength(3);
  });

  test("what breaks off before its commit leaves nothing behind and is done once the next time", async () => {
    await listen();
    await planned("test.note", 1);
    const { scheduler } = start();
    arm("due.before_commit@test.note:throw:each");

    await scheduler.sweep();
    disarm();
    expect(done).toEqual([]);
    await hub.tick(31_000);
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
    await hub.setClock(2 * year);
    await scheduler.sweep();
    await hub.setClock(-2 * year);
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "1", "2"]);
    await planned("test.note", 1, hub.hub.database.now());
    await scheduler.sweep();
    await expect.poll(() => done, SOON).toEqual(["0", "1", "2", "0"]);
  });
});
