/** Workers that ask at the same time: they are served together, and each as if it were alone. */
import { expect, test } from "vitest";
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
});
