import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";
import type { Board, Column } from "./schema.ts";

const START = Date.parse("2027-03-01T09:00:00Z");

const DAY_MS = 86_400_000;

const at = (board: Board, column: Column) => board.columns.find((one) => one.column === column)?.tasks ?? [];
const texts = (board: Board, column: Column): string[] => at(board, column).map(({ text }) => text);

eachDatabase((open) => {
  const make = async (hub: TestHub, token: string, content: string, more: object = {}) =>
    (await hub.call(token, "task_create", { content, ...more })).body;
  const look = async (hub: TestHub, token: string, more: object = {}): Promise<Board> =>
    (await hub.call(token, "task_board", more)).body as Board;

  test("the board shows each task in the column of its state, and counts what it does not show", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    for (const content of ["first", "second", "third"]) await make(hub, ana, content);
    await make(hub, ana, "urgent", { priority: 5 });
    const { next_task } = (await hub.call(mason, "get_next_task")).body;
    await hub.call(mason, "task_complete", { task_id: next_task.id, response_summary: "ok" });
    await hub.call(mason, "get_next_task");
    const board = await look(hub, ana, { limit: 1 });
    expect(board.counts).toEqual({ waiting: 2, held: 0, working: 1, done: 1, dead: 0 });
    expect([texts(board, "waiting"), texts(board, "working"), texts(board, "done")]).toEqual([
      ["second"],
      ["first"],
      ["urgent"],
    ]);
    expect(at(board, "working")).toMatchObject([{ claimed_by: "mason", lease_expires_at: expect.any(String) }]);
    const open_task = at(board, "working")[0]?.id;
    const { task } = await look(hub, ana, { task_id: open_task });
    expect(task).toEqual((await hub.call(ana, "task_get", { task_id: open_task })).body);
    expect((await look(hub, ana, { task_id: 17 })).task).toBeNull();
    const waiting = await look(hub, ana, { column: "waiting", limit: 50 });
    expect(waiting.columns.map(({ column }) => column)).toEqual(["waiting"]);
    expect(texts(waiting, "waiting")).toEqual(["second", "third"]);
  });

  test("how many are dead is a part of the glance, told of when one dies, is tried again or is forgotten", async () => {
    const hub = await open({ now: START, config: { task_days: 7 } });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const dead = async () => (await hub.call(ana, "space_glance", { parts: ["tasks"] })).body;
    expect(await dead()).toEqual({ parts: { tasks: { dead: 0 } } });
    using stream = await new Raw(hub.url, ana).listen(["ui://glance"]);
    const partsOf = async (count: number) => (await stream.first(count)).map(({ params }) => params?.parts ?? {});
    let heard = 1;
    const tellsOfTasks = async () => {
      while (!("tasks" in ((await partsOf(++heard)).at(-1) ?? {})));
    };
    await make(hub, ana, "done", { priority: 5 });
    const { id } = await make(hub, ana, "dies", { max_attempts: 1 });
    const { next_task } = (await hub.call(mason, "get_next_task")).body;
    await hub.call(mason, "task_complete", { task_id: next_task.id, response_summary: "ok" });
    await hub.call(mason, "get_next_task");
    await hub.call(mason, "task_fail", { task_id: id, error: "no" });
    await tellsOfTasks();
    // The first that tells of tasks is that of the dead one: what is made, taken and done changes no number.
    expect(await dead()).toEqual({ parts: { tasks: { dead: 1 } } });
    await hub.call(ana, "task_requeue", { task_id: id });
    await tellsOfTasks();
    expect(await dead()).toEqual({ parts: { tasks: { dead: 0 } } });
    expect((await partsOf(heard)).filter((parts) => "tasks" in parts)).toHaveLength(2);
    await hub.call(mason, "get_next_task");
    await hub.call(mason, "task_fail", { task_id: id, error: "no" });
    await tellsOfTasks();
    // Its end is told to who asked, and after its days nothing is left of it.
    for (const days of [0, 7, 1]) await hub.tick(days * DAY_MS);
    await tellsOfTasks();
    expect(await dead()).toEqual({ parts: { tasks: { dead: 0 } } });
  });

  test("what holds a task back is named with what ends it", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    await make(hub, ana, "later", { run_at: "30m" });
    const first = await make(hub, ana, "first of the key", { concurrency_key: "repo" });
    await make(hub, ana, "second of the key", { concurrency_key: "repo" });
    await make(hub, ana, "on a graphics card", { needs: ["gpu"] });
    await make(hub, ana, "of a used up account", { account: "acme" });
    await hub.call(ana, "throttle_set", { account: "acme", until: "2h" });
    const board = await look(hub, ana);
    const holds = Object.fromEntries(at(board, "held").map(({ text, hold }) => [text, hold]));
    expect(holds).toMatchObject({
      later: { reason: "delay", until: "2027-03-01T09:30:00.000Z" },
      "second of the key": { reason: "concurrency", key: "repo", limit: 1, tasks: [first.id] },
      "on a graphics card": { reason: "needs", missing: ["gpu"] },
      "of a used up account": { reason: "quota", account: "acme", until: "2027-03-01T11:00:00.000Z" },
    });
    expect(board.counts).toMatchObject({ waiting: 1, held: 4 });
    const { hold } = (await hub.call(ana, "task_get", { task_id: at(board, "held")[0]?.id })).body;
    expect(hold).toEqual(at(board, "held")[0]?.hold);

    await hub.call(ana, "budget_set", { scope: "space", per_day: { tasks: 0 } });
    const broke = await look(hub, ana);
    expect(at(broke, "held").find(({ text }) => text === "first of the key")?.hold).toMatchObject({
      reason: "budget",
      budget: "space",
      until: "2027-03-02T00:00:00.000Z",
    });
    expect(broke.counts.waiting).toBe(0);

    await hub.call(ana, "budget_set", { scope: "space", per_day: {} });
    await hub.call(ana, "throttle_set", { account: "acme" });
    await hub.tick(31 * 60_000);
    await hub.call(mason, "get_next_task", { offers: ["gpu"] });
    const free = await look(hub, ana);
    expect(at(free, "held").map(({ text }) => text)).toEqual(["second of the key"]);
  });

  test("dead tasks that are tried again, some a minute, are seen while they are", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    for (const content of ["one", "two"]) await make(hub, ana, content, { max_attempts: 1 });
    for (let n = 0; n < 2; n++) {
      const { next_task } = (await hub.call(mason, "get_next_task")).body;
      await hub.call(mason, "task_fail", { task_id: next_task.id, error: "no" });
    }
    expect(await look(hub, ana)).toMatchObject({ counts: { dead: 2 }, requeue: null });
    const { requeue_id } = (await hub.call(ana, "task_requeue", { per_minute: 1 })).body;
    await expect
      .poll(async () => (await look(hub, ana)).requeue)
      .toMatchObject({
        ...{ requeue_id, total: 2, requeued: 1, per_minute: 1, started_by: "ana" },
      });
    await hub.call(ana, "task_requeue", { stop: requeue_id });
    expect(await look(hub, ana)).toMatchObject({ counts: { dead: 1, waiting: 1 }, requeue: null });
  });
});
