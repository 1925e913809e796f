/** Workers are started when tasks wait, agents when they have mail. */
import { expect, test } from "vitest";
import { statement } from "../db/statement.ts";
import type { Run } from "../modules/runs/schema.ts";
import { eachDatabase, onDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, showRun, unruly } from "../testing/runs.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

const create = (hub: TestHub, content: string) => hub.call(hub.admin, "task_create", { content });
const runsOf = async (hub: TestHub, kind: string): Promise<Run[]> =>
  (await hub.call(hub.admin, "run_list", { kind, limit: 100 })).body.runs;
const over = (hub: TestHub, kind: string, count: number): Promise<Run[]> =>
  until(async () => {
    const runs = await runsOf(hub, kind);
    const ended = runs.filter(({ ended_at }) => ended_at !== null);
    return ended.length >= count && ended.length === runs.length ? runs : undefined;
  });
const doneTasks = async (hub: TestHub): Promise<number> =>
  (await hub.call(hub.admin, "inbox_stats")).body.by_status.done;

const watching = statement<Record<string, never>, { rows: number }>(
  "select count(*) as rows from due where kind = 'run.watch'",
);
/** How many spaces are looked at again and again. */
const watched = async (hub: TestHub): Promise<number> => Number((await hub.hub.database.get(watching, {}))?.rows);

eachDatabase((open) => {
  test("WATCH-1, WATCH-2: a burst of 100 tasks starts two workers at most, and all are done", async () => {
    const hub = await open();
    define(hub, { worker: unruly("work") });
    await hub.hub.database.health();
    for (let n = 0; n < 100; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, at) => create(hub, `task ${n + at}`)));
    await until(async () => (await doneTasks(hub)) === 100, 120_000);
    const runs = await over(hub, "worker", 1);
    expect(runs.filter(({ attempt }) => attempt > 0).length).toBeLessThanOrEqual(2);
    expect(runs.every(({ state }) => state === "done" || state === "skipped")).toBe(true);
  });

  test("WATCH-3: what waited before a worker was configured is done once there is one", async () => {
    const hub = await open({ now: START });
    await create(hub, "left over");
    await hub.tick(1000);
    expect(await runsOf(hub, "worker")).toEqual([]);
    expect(await watched(hub)).toBe(0);
    define(hub, { worker: unruly("work") });
    // WATCH-4: nobody tells of it; it is looked for once the node says what it can start.
    await hub.tick(0);
    await hub.tick(0);
    await until(async () => (await doneTasks(hub)) === 1);
  });

  test("WATCH-4: tasks that wait for a quota have a worker started once it is over", async () => {
    const hub = await open({ now: START });
    define(hub, { worker: unruly("work") });
    await hub.tick(0);
    await hub.call(hub.admin, "throttle_set", { account: "default", until: "1h" });
    await create(hub, "Build it");
    await hub.tick(31_000);
    expect(await runsOf(hub, "worker")).toEqual([]);
    await hub.tick(3_600_000);
    await hub.tick(31_000);
    await until(async () => (await doneTasks(hub)) === 1);
  });

  test("WATCH-5, WATCH-6: a worker that fails is started again later and later, a person is told once, and success ends it", async () => {
    const hub = await open({ now: START });
    define(hub, { worker: unruly("crash:3") });
    await hub.tick(0);
    await create(hub, "Build it");
    /** For how long it waits after the run that was the nth to fail, in seconds; then that is over. */
    const failedFor = async (failed: number): Promise<number> => {
      await hub.tick(0);
      const next = await until(async () => {
        await hub.tick(0);
        const runs = await runsOf(hub, "worker");
        const failures = runs.filter(({ state }) => state === "failed").length;
        return failures === failed ? runs.find(({ state }) => state === "queued") : undefined;
      });
      expect(next.waits_for).toBe("backoff");
      return Date.parse(next.not_before ?? "") - hub.hub.database.now();
    };
    const waits: number[] = [];
    for (let failed = 1; failed <= 7; failed += 1) {
      const wait = await failedFor(failed);
      waits.push(wait / 1000);
      if (failed === 7) define(hub, { worker: unruly("work") });
      await hub.tick(wait);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
    await until(async () => (await doneTasks(hub)) === 1);
    await until(async () => (await hub.call(hub.admin, "need_list")).body.needs.length === 0);
    const { notices } = (await hub.call(hub.admin, "notice_list")).body;
    expect(notices.filter(({ kind }: { kind: string }) => kind === "runs.failing")).toHaveLength(1);

    // The next one begins with the shortest again.
    define(hub, { worker: unruly("crash:3") });
    await hub.tick(60_000);
    await create(hub, "Test it");
    expect(await failedFor(8)).toBe(30_000);
  });

  test("mail to an agent that sleeps starts its session once, and goes on with it the next time", async () => {
    const hub = await open({ now: START });
    define(hub, { mail: unruly("stdin", "call:whoami") });
    await hub.tick(0);
    await hub.token("agent", "scout");
    const send = (subject: string) => hub.call(hub.admin, "mail_send", { to: ["scout"], subject, body: "b" });
    await send("One");
    await hub.tick(0);
    const [first] = await over(hub, "mail", 1);
    const shown = await showRun(hub, first?.id ?? "");
    expect(shown).toMatchObject({ state: "done", name: "scout", session_mode: "persistent" });
    expect(shown.output).toContain('"principal":"scout"');
    await hub.tick(3_600_000);
    await send("Two");
    await hub.tick(0);
    const [second] = await over(hub, "mail", 2);
    expect(second?.session_id).toBe(first?.session_id);
  });
});

onDatabase("postgres", (open) => {
  test("WATCH-7: of two nodes that watch, one at a time has a worker", async () => {
    const first = await open({ now: START });
    const second = await open({ same: first });
    const nodes = [first, second];
    for (const node of nodes) define(node, { worker: unruly("work") });
    for (const node of nodes) await node.tick(0);
    await Promise.all(nodes.flatMap((node) => [create(node, "one"), create(node, "two")]));
    await until(async () => {
      await Promise.all(nodes.map((node) => node.tick(0)));
      return (await doneTasks(second)) === 4;
    });
    const runs = (await over(first, "worker", 1)).filter(({ attempt }) => attempt > 0).reverse();
    expect(runs.length).toBeGreaterThan(0);
    const overlapping = runs.filter(({ started_at }, at) => at > 0 && `${started_at}` < `${runs[at - 1]?.ended_at}`);
    expect(overlapping).toEqual([]);
  });
});
