/** What is done outside the database: at least once, with what it did noted, and not more often than it has to be. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { onCommit } from "../commits.ts";
import type { Actor, TxCtx } from "../context.ts";
import { statement } from "../db/statement.ts";
import { append } from "../feed/append.ts";
import type { DueHandler, DueJob } from "../module.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { move, plan, Scheduler } from "./index.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const rows = statement<Record<string, never>, { ref: number; at: string; attempt: number }>(
  "select ref, at, attempt from due where kind = 'test.job' order by ref",
);
const dueOf = statement<{ kind: string }, { ref: number }>("select ref from due where kind = :kind");
const actor: Actor = {
  ...{ principal_id: "hub", name: "hub", roles: [], token_id: "", subscriber_id: "" },
  kind: "service",
  space_id: "main",
};

eachDatabase((open) => {
  let hub: TestHub;
  let noted: string[];
  const schedulers: Scheduler[] = [];
  beforeEach(async () => {
    noted = [];
    hub = await open({ now: START });
    await hub.hub.feed.listen({ space_id: "main", topic: "test" }, ({ stream }) => void noted.push(stream));
  });
  afterEach(async () => {
    for (const scheduler of schedulers.splice(0)) await scheduler.stop();
  });

  interface Parts {
    job?: DueJob;
    handlers?: Record<string, DueHandler>;
    throttle_ms?: Record<string, number>;
    prefers?: (space_id: string) => boolean;
  }
  const start = ({ job, handlers = {}, throttle_ms = {}, prefers = () => true }: Parts) => {
    const failures: unknown[] = [];
    const scheduler = new Scheduler({
      database: hub.hub.database,
      config: hub.hub.config,
      handlers: new Map(Object.entries(handlers)),
      jobs: new Map(job && [["test.job", job]]),
      throttle_ms: new Map(Object.entries(throttle_ms)),
      prefers,
      ctx: (space_id) => hub.hub.ctx({ ...actor, space_id }),
      report: (error) => failures.push(error),
      random: () => 0.5,
    });
    schedulers.push(scheduler);
    return { scheduler, failures };
  };
  const write = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
    hub.hub.database.write("main", (tx) => work({ ...hub.hub.ctx(actor), db: tx, tx }));
  const planned = (kind: string, refs: number, at = START - 1000) =>
    write(async (ctx) => {
      for (let ref = 0; ref < refs; ref += 1) await plan(ctx, { kind, ref, at });
    });
  const note = (ctx: TxCtx, stream: string) => append(ctx, { type: "test.noted", topic: "test", stream, data: {} });
  const left = () => hub.hub.database.all(rows, {});

  test("what a job did is noted in the transaction that removes its row, or moves it", async () => {
    await planned("test.job", 2);
    const seen: number[] = [];
    hub.hub.database.onCommit(({ events }) => {
      if (events.some(({ type }) => type === "test.noted")) seen.push(events.length);
    });
    const again = START + 60_000;
    const { scheduler } = start({
      job: async (_, { ref }) => ({
        ...(ref === 1 && { again }),
        record: async (ctx) => void (await note(ctx, String(ref))),
      }),
    });
    await scheduler.sweep();
    expect(await left()).toEqual([{ ref: 1, at: new Date(again).toISOString(), attempt: 0 }]);
    await expect.poll(() => noted.toSorted()).toEqual(["0", "1"]);
    expect(seen.length).toBeGreaterThan(0);
  });

  test("what is asked for anew while it is done is done anew, also in the millisecond it was planned in", async () => {
    for (const at of [START - 1000, START]) {
      await planned("test.job", 1, at);
      let done = 0;
      const { scheduler } = start({
        job: async () => {
          done += 1;
          if (done === 1) await write((ctx) => move(ctx, { kind: "test.job", ref: 0, at: ctx.now() }));
          return {};
        },
      });
      await scheduler.sweep();
      expect(done).toBe(2);
      expect(await left()).toEqual([]);
    }
  });

  test("several are done at the same time", async () => {
    await planned("test.job", 4);
    let begun = 0;
    const all = Promise.withResolvers<void>();
    const { scheduler } = start({
      job: async () => {
        begun += 1;
        if (begun === 4) all.resolve();
        await all.promise;
        return {};
      },
    });
    await scheduler.sweep();
    expect(await left()).toEqual([]);
  });

  test("one that fails is tried again later, and what it did not do is not noted", async () => {
    await planned("test.job", 1);
    const { scheduler, failures } = start({
      job: async () => {
        throw new Error("not today");
      },
    });
    await scheduler.sweep();
    expect(failures).toHaveLength(1);
    const [row] = await left();
    expect(row?.attempt).toBe(1);
    expect(Date.parse(row?.at ?? "")).toBeGreaterThan(START);
    expect(noted).toEqual([]);
  });

  test("a kind that is throttled is handled at once, and what comes soon after it together and later", async () => {
    const say: DueHandler = async (ctx, { ref, payload }) => void (await note(ctx, `${payload} ${ref}`));
    const { scheduler } = start({
      handlers: { "test.rare": say, "test.often": say },
      throttle_ms: { "test.rare": 3_600_000 },
    });
    const come = (kind: string, refs: number) =>
      write(async (ctx) => {
        for (let ref = 0; ref < refs; ref += 1)
          await plan(ctx, { kind: `test.${kind}`, ref, at: START - 1, payload: kind });
      });
    await come("rare", 1);
    scheduler.wake();
    await expect.poll(() => noted).toEqual(["rare 0"]);
    await come("rare", 3);
    await come("often", 1);
    scheduler.wake();
    await expect.poll(() => noted).toEqual(["rare 0", "often 0"]);
    // Whoever wants all that is due to be done has it done.
    await scheduler.sweep();
    await expect.poll(() => noted.slice(2)).toEqual(["rare 0", "rare 1", "rare 2"]);
  });

  test("what is due is left to the node that sees to its space for two seconds, but for what a node planned itself", async () => {
    const say: DueHandler = async (ctx, { ref, payload }) => void (await note(ctx, `${payload} ${ref}`));
    const { scheduler } = start({
      handlers: { "test.theirs": say },
      prefers: (space_id) => space_id === "sess_ours",
    });
    await hub.call(hub.admin, "space_create", { id: "sess_ours" });
    await hub.hub.feed.listen({ space_id: "sess_ours", topic: "test" }, ({ stream }) => void noted.push(stream));
    const come = (space_id: string, ref: number) =>
      write((ctx) => plan(ctx, { kind: "test.theirs", ref, at: START, payload: space_id, space_id }));
    await come("main", 1);
    await come("sess_ours", 2);
    scheduler.wake();
    await expect.poll(() => noted).toEqual(["sess_ours 2"]);

    // It is told so by its own commit.
    scheduler.planned(["main"], new Map([["test.theirs", START]]));
    await expect.poll(() => noted).toEqual(["sess_ours 2", "main 1"]);
  });

  test("what one space plans in another is this node's own there, and waits for nobody", async () => {
    const say: DueHandler = async (ctx, { ref }) => void (await note(ctx, String(ref)));
    const { scheduler } = start({ handlers: { "test.theirs": say }, prefers: () => false });
    await hub.call(hub.admin, "space_create", { id: "sess_ours" });
    await hub.hub.feed.listen({ space_id: "sess_ours", topic: "test" }, ({ stream }) => void noted.push(stream));
    onCommit(hub.hub, "the test", ({ planned, planned_in }) => {
      if (planned.has("test.theirs")) scheduler.planned(planned_in, planned);
    });
    await write((ctx) => plan(ctx, { kind: "test.theirs", ref: 3, at: START, space_id: "sess_ours" }));
    await expect.poll(() => noted).toEqual(["3"]);
  });

  test("what the node that sees to a space does not do in two seconds another one does", async () => {
    const say: DueHandler = async (ctx, { ref }) => void (await note(ctx, String(ref)));
    const { scheduler } = start({ handlers: { "test.note": say, "test.other": say }, prefers: () => false });
    await planned("test.note", 1, START - 1999);
    await planned("test.other", 1, START - 2000);
    scheduler.wake();
    await expect.poll(() => noted).toHaveLength(1);
    expect(await hub.hub.database.all(dueOf, { kind: "test.note" })).toHaveLength(1);
    await hub.tick(1);
    scheduler.wake();
    await expect.poll(() => noted).toHaveLength(2);
  });
});
