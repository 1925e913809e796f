/** Concurrency keys: what runs counts, what only waits takes nobody's place. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { excessOf } from "./service/admitting.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const HOUR_MS = 3_600_000;
const KEY = { concurrency_key: "repo" };

interface Shown {
  content: string;
  held_for: string | null;
}

test("under a key with thousands of tasks the next one is told apart in a few looks at each", () => {
  let looks = 0;
  const slot = (id: number) => ({
    ...{ id, status: id % 10 === 0 ? ("processing" as const) : ("pending" as const), lane: `lane-${id % 3}` },
    concurrency_limit: 1000,
    get order_key() {
      looks += 1;
      return (id * 7919) % 10_007;
    },
  });
  const slots = Array.from({ length: 4000 }, (_, id) => slot(id));
  const excess = excessOf(slots);
  // 400 run, and of 1,200 in each lane there is room for 600.
  expect(excess.size).toBe(1800);
  // As many as sorting takes: two for each comparison, and each is compared some eleven times.
  expect(looks).toBeLessThan(slots.length * 2 * 20);
  for (const lane of ["lane-0", "lane-1", "lane-2"]) {
    const waiting = slots.filter((one) => one.lane === lane && one.status === "pending");
    const kept = waiting.filter((one) => !excess.has(one)).map(({ order_key }) => order_key);
    const held = waiting.filter((one) => excess.has(one)).map(({ order_key }) => order_key);
    expect(Math.max(...kept)).toBeLessThan(Math.min(...held));
  }
});

eachDatabase((open) => {
  const make = async (hub: TestHub, content: string, more: object = {}): Promise<string> =>
    (await hub.call(hub.admin, "task_create", { content, ...more })).body.id;
  const claim = async (hub: TestHub, token: string, offers: string[] = []) =>
    (await hub.call(token, "get_next_task", { offers })).body.next_task;
  const complete = (hub: TestHub, token: string, task_id: string) =>
    hub.call(token, "task_complete", { task_id, response_summary: "done" });
  const held = async (hub: TestHub) =>
    (await hub.call(hub.admin, "task_list")).body.tasks.map(({ content, held_for }: Shown) => [content, held_for]);
  const workersOf = (hub: TestHub, ...names: string[]) => Promise.all(names.map((name) => hub.token("worker", name)));

  test("TASK-25: a task that needs what nobody offers keeps no other one of its key from running", async () => {
    const hub = await open({ now: START });
    const [mason = "", piper = ""] = await workersOf(hub, "mason", "piper");
    await make(hub, "train", { ...KEY, needs: ["gpu"] });
    const plain = await make(hub, "plain", KEY);
    expect(await held(hub)).toEqual([
      ["train", "needs"],
      ["plain", null],
    ]);
    expect(await claim(hub, mason)).toMatchObject({ id: plain });
    expect(await held(hub)).toEqual([["train", "concurrency"]]);
    expect(await claim(hub, piper, ["gpu"])).toBeNull();
    await complete(hub, mason, plain);
    expect(await claim(hub, piper, ["gpu"])).toMatchObject({ content: "train" });
  });

  test("TASK-25 and TASK-31: a task that met a quota gives its place under its key to one of another account until then", async () => {
    const hub = await open({ now: START });
    const [mason = ""] = await workersOf(hub, "mason");
    const throttled = await make(hub, "throttled", KEY);
    const other = await make(hub, "other", { ...KEY, account: "team-b" });
    expect(await claim(hub, mason)).toMatchObject({ id: throttled });
    expect(await held(hub)).toEqual([["other", "concurrency"]]);
    const back = await hub.call(mason, "task_fail", { task_id: throttled, error: "429", throttled_until: "2h" });
    expect(back.body).toMatchObject({ status: "pending", attempt: 1 });
    expect(await held(hub)).toEqual([
      ["throttled", "quota"],
      ["other", null],
    ]);
    expect(await claim(hub, mason)).toMatchObject({ id: other });
    await complete(hub, mason, other);
    await hub.tick(2 * HOUR_MS);
    expect(await claim(hub, mason)).toMatchObject({ id: throttled, attempt: 2 });
  });

  test("TASK-5: also within a key the one of higher priority is first, made later or while another one ran", async () => {
    const hub = await open({ now: START });
    const [mason = "", piper = ""] = await workersOf(hub, "mason", "piper");
    await make(hub, "low", KEY);
    await make(hub, "high", { ...KEY, priority: 10 });
    expect(await held(hub)).toEqual([
      ["low", "concurrency"],
      ["high", null],
    ]);
    const high = await claim(hub, mason);
    expect(high.content).toBe("high");
    await make(hub, "higher", { ...KEY, priority: 20 });
    // Given back it is no longer first.
    await hub.call(mason, "task_release", { task_id: high.id, reason: "I end" });
    const order = [];
    for (let n = 0; n < 3; n += 1) {
      const { id, content } = await claim(hub, piper);
      order.push(content);
      await complete(hub, piper, id);
    }
    expect(order).toEqual(["higher", "high", "low"]);
  });

  test("TASK-25: a task under a key that is cancelled, fails or is given back leaves its place to the next", async () => {
    const hub = await open({ now: START });
    const [mason = ""] = await workersOf(hub, "mason");
    const ids: string[] = [];
    for (const content of ["cancelled", "failed", "back", "last"]) ids.push(await make(hub, content, KEY));
    await hub.call(hub.admin, "task_cancel", { task_id: ids[0] });
    expect(await claim(hub, mason)).toMatchObject({ content: "failed" });
    await hub.call(mason, "task_fail", { task_id: ids[1], error: "no luck" });
    expect(await claim(hub, mason)).toMatchObject({ content: "back" });
    const { body } = await hub.call(mason, "task_release", { task_id: ids[2], reason: "I end" });
    expect(body).toMatchObject({ status: "pending", held_for: null });
    expect(await held(hub)).toEqual([
      ["failed", "delay"],
      ["back", null],
      ["last", "concurrency"],
    ]);
  });

  test("TASK-25: of a key with tasks in several lanes no more than its number run, however many ask at once, and all are done", async () => {
    const hub = await open({ now: START });
    const workers = await workersOf(hub, "mason", "piper", "quinn", "rufus", "scout", "tilda");
    const limit = 2;
    const lanes = [{}, { needs: ["gpu"] }, { account: "team-b" }];
    for (let n = 0; n < 12; n += 1)
      await make(hub, `job ${n}`, { ...KEY, ...lanes[n % 3], concurrency_limit: limit, priority: (n * 7) % 5 });
    const done = new Set<string>();
    for (let round = 0; done.size < 12 && round < 20; round += 1) {
      const given = await Promise.all(workers.map((token, at) => claim(hub, token, at % 2 === 0 ? ["gpu"] : [])));
      const active = (await hub.call(hub.admin, "task_list", { status: "processing" })).body.tasks;
      expect(active.length).toBe(Math.min(limit, 12 - done.size));
      for (const [at, task] of given.entries()) {
        if (!task) continue;
        await complete(hub, workers[at] ?? "", task.id);
        done.add(task.content);
      }
    }
    expect(done.size).toBe(12);
  });
});
