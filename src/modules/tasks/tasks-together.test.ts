/** Workers that ask or wait at the same time: they are served together, and each as if it were alone. */
import { expect, test, vi } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { give } from "./service/giving.ts";

eachDatabase((open) => {
  const make = async (hub: TestHub, content: string, more: object = {}) =>
    (await hub.call(hub.admin, "task_create", { content, ...more })).body;
  const claim = async (hub: TestHub, token: string, offers: string[] = []) =>
    (await hub.call(token, "get_next_task", { offers })).body;
  const workersOf = (hub: TestHub, count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => hub.token("worker", `mason-${n}`)));
  const contentOf = (given: { next_task: { content: string } | null }) => given.next_task?.content;

  test("each gets the first task that it offers enough for, and nobody another's", async () => {
    const hub = await open();
    for (const content of ["a", "b", "c"]) await make(hub, content);
    await make(hub, "draw", { needs: ["gpu"], priority: 5 });
    const [first = "", ...others] = await workersOf(hub, 5);
    const given = await Promise.all([...others.map((worker) => claim(hub, worker)), claim(hub, first, ["gpu"])]);
    expect(contentOf(given.at(-1))).toBe("draw");
    expect(given.slice(0, -1).map(contentOf).sort()).toEqual(["a", "b", "c", undefined]);
  });

  test("a worker that asks twice at once has one task, and is warned", async () => {
    const hub = await open();
    for (const content of ["a", "b", "c"]) await make(hub, content);
    const [mason = "", ben = ""] = await workersOf(hub, 2);
    const given = await Promise.all([claim(hub, mason), claim(hub, mason), claim(hub, ben)]);
    expect(given.filter(({ next_task }) => next_task)).toHaveLength(2);
    const [warned] = given.filter(({ warning }) => warning);
    const own = given.slice(0, 2).find(({ next_task }) => next_task);
    expect([warned.active_task.id, warned.next_task]).toEqual([own.next_task.id, null]);
  });

  test("a budget is used up by those before", async () => {
    const hub = await open();
    await hub.call(hub.admin, "budget_set", { scope: "space", per_day: { tasks: 2 } });
    for (const content of ["a", "b", "c", "d"]) await make(hub, content);
    const workers = await workersOf(hub, 4);
    const given = await Promise.all(workers.map((worker) => claim(hub, worker)));
    expect(given.map(contentOf).sort()).toEqual(["a", "b", undefined, undefined]);
  });

  test("whoever asks in the moment in which others were served is served too", async () => {
    const hub = await open();
    const [mason = ""] = await workersOf(hub, 1);
    const ctx = await hub.as(mason);
    expect(await give(ctx, [])).toBeUndefined();
    expect(await give(ctx, [])).toBeUndefined();
    await make(hub, "a");
    expect(await give(ctx, [])).toMatchObject({ content: "a", status: "processing" });
  });

  const LONG = 50;
  const waitFor = (hub: TestHub, token: string, offers: string[] = []) =>
    hub.call(token, "get_next_task", { offers, wait_seconds: LONG }).then(({ body }) => body);
  /** Each has looked once in vain and waits. */
  const allWait = (hub: TestHub, many: number) =>
    expect.poll(() => [...hub.hub.streams.actors()].length, { interval: 10 }).toBe(many);

  test("a task wakes one of those who wait, however many they are", async () => {
    const hub = await open();
    /** How often the queue was looked at until a task was given to one of so many. */
    const looks = async (many: number): Promise<number> => {
      const workers = await Promise.all(Array.from({ length: many }, (_, n) => hub.token("worker", `w-${many}-${n}`)));
      using all = vi.spyOn(hub.hub.database, "all");
      using get = vi.spyOn(hub.hub.database, "get");
      const asked = () => [...all.mock.calls, ...get.mock.calls].map(([statement]) => statement.sqlite.text);
      const waiting = workers.map((worker) => waitFor(hub, worker));
      // Whoever finds nothing looks last whether it has one already; then it waits.
      const own = () => get.mock.calls.filter(([{ sqlite }]) => / tasks\b.*worker_id = /s.test(sqlite.text));
      await expect.poll(() => own().length, { interval: 10 }).toBe(many);
      await Promise.all(get.mock.results.map(({ value }) => value));
      await allWait(hub, many);
      all.mockClear();
      get.mockClear();
      await make(hub, "a");
      await Promise.race(waiting);
      const counted = asked().filter((text) => / tasks\b/.test(text)).length;
      for (let n = 1; n < many; n++) await make(hub, "b");
      await Promise.all(waiting);
      return counted;
    };
    expect(await looks(30)).toBe(await looks(3));
  });

  test("whoever is woken and may not take it leaves it to the next, and what one does not offer enough for wakes another", async () => {
    const hub = await open();
    const [poor = "", plain = "", gpu = ""] = await workersOf(hub, 3);
    await hub.call(hub.admin, "budget_set", { scope: "agent", name: "mason-0", per_day: { tasks: 0 } });
    const waiting = [waitFor(hub, poor), waitFor(hub, plain), waitFor(hub, gpu, ["gpu"])];
    await allWait(hub, 3);
    await make(hub, "draw", { needs: ["gpu"] });
    expect(contentOf(await waiting[2])).toBe("draw");
    await make(hub, "a");
    expect(contentOf(await waiting[1])).toBe("a");
    await make(hub, "b");
    await hub.call(hub.admin, "budget_set", { scope: "agent", name: "mason-0", per_day: {} });
    expect(contentOf(await waiting[0])).toBe("b");
  });

  test("no task waits while somebody waits for one, however they come and whoever goes away meanwhile", async () => {
    const hub = await open();
    const workers = await workersOf(hub, 6);
    const done: string[] = [];
    const work = async (token: string): Promise<void> => {
      for (;;) {
        const { next_task } = await waitFor(hub, token);
        if (next_task.content === "end") return;
        await hub.call(token, "task_complete", { task_id: next_task.id, response_summary: "done" });
        done.push(next_task.content);
      }
    };
    const working = workers.map(work);
    const hasty = await hub.token("worker", "hasty");
    // The hub may hear only after it has claimed that nobody waits for it any more.
    const giveBack = async (): Promise<void> => {
      const { tasks } = (await hub.call(hub.admin, "task_list", { status: "processing" })).body;
      for (const { id: task_id, claimed_by } of tasks)
        if (claimed_by === "hasty") await hub.call(hasty, "task_release", { task_id, reason: "It has gone." });
    };
    const sizes = [1, 1, 3, 1, 12, 2, 1, 7, 1, 1];
    for (const [at, size] of sizes.entries()) {
      // Whoever goes away may have been the one that was woken; what it claimed nevertheless is given back.
      const leaving = new AbortController();
      const left = fetch(`${hub.url}/api/tools/get_next_task`, {
        method: "POST",
        headers: { authorization: `Bearer ${hasty}` },
        body: JSON.stringify({ wait_seconds: LONG }),
        signal: leaving.signal,
      }).catch(() => undefined);
      if (at % 2 === 0)
        await expect.poll(() => [...hub.hub.streams.actors()].some(({ name }) => name === "hasty")).toBe(true);
      await Promise.all([
        ...Array.from({ length: size }, (_, n) => make(hub, `${at}.${n}`)),
        new Promise((resolve) => setImmediate(resolve)).then(() => leaving.abort()),
      ]);
      await left;
      const made = sizes.slice(0, at + 1).reduce((sum, one) => sum + one, 0);
      const finished = async (): Promise<number> => {
        await giveBack();
        return done.length;
      };
      await expect.poll(finished, { timeout: LONG * 500, interval: 5 }).toBe(made);
    }
    await Promise.all(workers.map(() => make(hub, "end")));
    await Promise.all(working);
    expect(new Set(done).size).toBe(done.length);
  });
});
