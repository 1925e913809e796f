import { expect, test } from "vitest";
import { transact } from "../../context.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { charge, isOverBudget } from "./index.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Shown {
  content: string;
  held_for: string | null;
}

eachDatabase((open) => {
  const make = async (hub: TestHub, token: string, content: string, more: object = {}) =>
    (await hub.call(token, "task_create", { content, ...more })).body;
  const claim = async (hub: TestHub, token: string, more: object = {}) =>
    (await hub.call(token, "get_next_task", more)).body.next_task;
  const held = async (hub: TestHub) =>
    (await hub.call(hub.admin, "task_list")).body.tasks.map(({ content, held_for }: Shown) => [content, held_for]);
  const die = async (hub: TestHub, worker: string, error: string) => {
    const { id: task_id } = await claim(hub, worker);
    expect((await hub.call(worker, "task_fail", { task_id, error })).body.status).toBe("dead");
    return task_id;
  };
  const needs = async (hub: TestHub, token: string) => (await hub.call(token, "need_list")).body.needs;

  test("TASK-18: a dead task is listed and can be requeued, with its history", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, ana, "one", { max_attempts: 1 });
    await die(hub, mason, "no luck");
    expect((await hub.call(ana, "task_list", { status: "dead" })).body.tasks).toMatchObject([{ id, error: "no luck" }]);
    expect((await hub.call(ana, "task_requeue", { task_id: id })).body.tasks).toMatchObject([
      { id, status: "pending" },
    ]);
    expect((await hub.call(ana, "inbox_stats")).body.by_status).toMatchObject({ dead: 0, pending: 1 });
    expect((await hub.call(ana, "task_requeue", { task_id: id })).body.error).toBe(
      `Task ${id} is 'pending' — can only requeue tasks in 'dead' status`,
    );
    expect(await claim(hub, mason)).toMatchObject({ id, attempt: 2 });
    const { attempts } = (await hub.call(ana, "task_get", { task_id: id })).body;
    expect(attempts).toMatchObject([{ attempt: 1, outcome: "failed", error: "no luck" }, { attempt: 2 }]);
  });

  test("TASK-31: a task is given back for nothing fifty times, by quotas and by workers that end; then it costs attempts", async () => {
    const hub = await open({ now: START });
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, hub.admin, "one", { max_attempts: 2 });
    for (let n = 0; n < 50; n += 1) {
      const { id: task_id } = await claim(hub, mason);
      const { body } =
        n % 2 === 0
          ? await hub.call(mason, "task_fail", { task_id, error: "used up", throttled_until: "1m" })
          : await hub.call(mason, "task_release", { task_id, reason: "I end" });
      expect(body.status).toBe("pending");
      if (n % 2 === 0) await hub.tick(MINUTE_MS + 1000);
    }
    const again = { task_id: id, error: "used up", throttled_until: "1m" };
    await claim(hub, mason);
    expect((await hub.call(mason, "task_fail", again)).body).toMatchObject({ status: "pending", held_for: "delay" });
    await hub.tick(MINUTE_MS);
    await claim(hub, mason);
    expect((await hub.call(mason, "task_release", { task_id: id, reason: "I end" })).body.status).toBe("dead");
    const { attempts } = (await hub.call(hub.admin, "task_get", { task_id: id })).body;
    expect(attempts.slice(-3).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      ...["released", "failed", "failed"],
    ]);
  });

  test("TASK-34: dead tasks are requeued in bulk: previewed, so many a minute, and it can be stopped", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7]) {
      await make(hub, ana, `job ${n}`, { max_attempts: 1 });
      await die(hub, mason, n === 3 ? "bad input" : "the network was down");
    }
    const filter = { error: "network" };
    const preview = (await hub.call(ana, "task_requeue", { ...filter, preview: true })).body;
    expect(preview).toMatchObject({ matched: 7, requeued: 0, requeue_id: null });
    expect(preview.tasks).toHaveLength(5);
    const dead = async () => (await hub.call(ana, "inbox_stats")).body.by_status.dead;
    expect(await dead()).toBe(8);
    const { requeue_id } = (await hub.call(ana, "task_requeue", { ...filter, per_minute: 120 })).body;
    await hub.tick(0);
    expect(await dead()).toBe(6);
    await hub.tick(1000);
    expect(await dead()).toBe(4);
    const stopped = (await hub.call(ana, "task_requeue", { stop: requeue_id })).body;
    expect(stopped).toMatchObject({ matched: 7, requeued: 4 });
    await hub.tick(MINUTE_MS);
    expect(await dead()).toBe(4);
    await hub.call(ana, "task_requeue", { ...filter, per_minute: 60_000 });
    await hub.tick(0);
    await hub.tick(2000);
    expect((await hub.call(ana, "task_list", { status: "dead" })).body.tasks).toMatchObject([{ error: "bad input" }]);
  });

  test("TASK-30: only what is over is forgotten after its days, and never a result that nobody has been told", async () => {
    const hub = await open({ now: START, config: { task_days: 7 } });
    const ana = await hub.token("human", "ana");
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const [told, owed] = [await make(hub, ana, "told"), await make(hub, gmail, "owed")];
    for (const { id } of [told, owed]) {
      await claim(hub, mason);
      await hub.call(mason, "task_complete", { task_id: id, response_summary: "done" });
    }
    const waiting = await make(hub, ana, "waiting");
    await hub.tick(0);
    await hub.tick(7 * DAY_MS - HOUR_MS);
    expect((await hub.call(ana, "inbox_stats")).body.total).toBe(3);
    await hub.tick(2 * HOUR_MS);
    await hub.tick(2 * HOUR_MS);
    expect((await hub.call(ana, "inbox_stats")).body).toMatchObject({ total: 2, by_status: { done: 1, pending: 1 } });
    expect((await hub.call(ana, "task_get", { task_id: told.id })).body.error).toBe(`Task ${told.id} not found`);
    expect((await hub.call(ana, "task_get", { task_id: waiting.id })).status).toBe(200);
    expect((await hub.call(gmail, "task_wait", { task_ids: [owed.id] })).body.waiting).toBe(false);
    await hub.tick(2 * HOUR_MS);
    await hub.tick(2 * HOUR_MS);
    expect((await hub.call(ana, "inbox_stats")).body).toMatchObject({ total: 1, by_status: { done: 0 } });
  });

  test("TASK-31: who meets a quota gives the task back for nothing, and all of the account wait until then, visibly", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    await make(hub, ana, "one", { max_attempts: 1 });
    await make(hub, ana, "two");
    await make(hub, ana, "other", { account: "team-b" });
    const { id } = await claim(hub, mason);
    const { body } = await hub.call(mason, "task_fail", { task_id: id, error: "429", throttled_until: "2h" });
    expect(body).toMatchObject({ status: "pending", attempt: 1 });
    expect(await held(hub)).toEqual([
      ["one", "quota"],
      ["two", "quota"],
      ["other", null],
    ]);
    expect(await claim(hub, piper)).toMatchObject({ content: "other" });
    expect(await claim(hub, mason)).toBeNull();
    await hub.tick(2 * HOUR_MS);
    expect(await held(hub)).toContainEqual(["one", null]);
    expect(await claim(hub, mason)).toMatchObject({ content: "one", attempt: 2 });
    const { attempts } = (await hub.call(ana, "task_get", { task_id: id })).body;
    expect(attempts[0]).toMatchObject({ outcome: "throttled", error: "429" });
  });

  test("TASK-31: of what several workers say of one account's quota the latest time counts", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    await make(hub, ana, "one");
    await make(hub, ana, "two");
    const tasks = [await claim(hub, mason), await claim(hub, piper)];
    const meets = (token: string, task_id: string, throttled_until: string) =>
      hub.call(token, "task_fail", { task_id, error: "429", throttled_until });
    await meets(mason, tasks[0].id, "2h");
    expect((await meets(piper, tasks[1].id, "1m")).body).toMatchObject({ status: "pending" });
    await hub.tick(HOUR_MS);
    expect(await held(hub)).toEqual([
      ["one", "quota"],
      ["two", "quota"],
    ]);
    await hub.tick(HOUR_MS);
    expect(await claim(hub, piper)).toMatchObject({ content: "one", attempt: 2 });
  });

  test("TASK-31, TASK-36 and TASK-20: a worker that waits is given what a quota, a budget or a delay held back once that runs out by itself", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    await hub.call(hub.admin, "throttle_set", { account: "default", until: "2h" });
    await hub.call(hub.admin, "budget_set", { scope: "account", name: "team-b", per_day: { tasks: 1 } });
    await make(hub, ana, "used up", { account: "team-b" });
    await hub.call(mason, "task_complete", { task_id: (await claim(hub, mason)).id, response_summary: "ok" });
    await make(hub, ana, "quota");
    await make(hub, ana, "delay", { account: "team-c", run_at: "1h" });
    await make(hub, ana, "budget", { account: "team-b" });
    const given: string[] = [];
    const work = async (): Promise<void> => {
      while (given.length < 3) {
        const { id: task_id, content } = await claim(hub, mason, { wait_seconds: 60 });
        await hub.call(mason, "task_complete", { task_id, response_summary: "ok" });
        given.push(content);
      }
    };
    const worked = work();
    for (const [at_ms, expected] of [
      [HOUR_MS, ["delay"]],
      [2 * HOUR_MS, ["delay", "quota"]],
      // The next day begins.
      [15 * HOUR_MS, ["delay", "quota", "budget"]],
    ] as const) {
      await hub.tick(at_ms - 1 - (hub.hub.database.now() - START));
      await hub.tick(1);
      await expect.poll(() => given).toEqual(expected);
    }
    await worked;
  });

  test("a worker that ends gives its task back: the next has it at once, and it costs no attempt", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "interrupted", { max_attempts: 1 });
    await claim(hub, mason);
    const back = { task_id: id, attempt: 1, reason: "the machine is switched off" };
    expect((await hub.call(piper, "task_release", back)).body.code).toBe("LEASE_LOST");
    expect((await hub.call(mason, "task_release", back)).body).toMatchObject({ status: "pending", held_for: null });
    expect((await hub.call(mason, "task_release", back)).body.code).toBe("LEASE_LOST");
    expect(await claim(hub, piper)).toMatchObject({ id, attempt: 2, error: null });
    const { attempts } = (await hub.call(ana, "task_get", { task_id: id })).body;
    expect(attempts).toMatchObject([
      { attempt: 1, worker: "mason", outcome: "released", error: "the machine is switched off" },
      { attempt: 2, worker: "piper", outcome: null },
    ]);
    await hub.call(ana, "task_cancel", { task_id: id });
    const { body } = await hub.call(piper, "task_release", { ...back, attempt: 2 });
    expect(body).toMatchObject({ status: "cancelled" });
  });

  test("TASK-31: a person ends a quota early, or has what workers say of it ignored", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    await make(hub, ana, "one", { max_attempts: 1 });
    const { id } = await claim(hub, mason);
    await hub.call(mason, "task_fail", { task_id: id, error: "429", throttled_until: "6d" });
    expect(await claim(hub, mason)).toBeNull();
    expect((await hub.call(mason, "throttle_set", {})).status).toBe(403);
    await hub.call(ana, "throttle_set", {});
    expect(await claim(hub, mason)).toMatchObject({ id });
    await hub.call(ana, "throttle_set", { off: true });
    const { body } = await hub.call(mason, "task_fail", { task_id: id, error: "429", throttled_until: "6d" });
    expect(body.status).toBe("dead");
  });

  test("TASK-32: a worker is given only what it offers; where nobody offers it a person is told once", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "train", { needs: ["repo:x", "gpu"], priority: 5 });
    await make(hub, ana, "plain");
    expect(await held(hub)).toEqual([
      ["train", "needs"],
      ["plain", null],
    ]);
    expect(await claim(hub, mason, { offers: ["gpu"] })).toMatchObject({ content: "plain" });
    await hub.tick(MINUTE_MS);
    await make(hub, ana, "train more", { needs: ["gpu", "repo:x"] });
    await hub.tick(MINUTE_MS);
    const told = await needs(hub, ana);
    expect(told).toMatchObject([{ kind: "task.needs", title: "No worker offers gpu, repo:x", ref: id }]);
    expect(await claim(hub, piper, { offers: ["repo:x", "gpu", "tpu"] })).toMatchObject({ id });
    expect(await needs(hub, ana)).toEqual([]);
    expect(await held(hub)).toContainEqual(["train more", null]);
  });

  test("TASK-32: people are told once also when another task is first by now, and of those behind one that is cancelled", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const piper = await hub.token("worker", "piper");
    const made: string[] = [];
    for (const priority of [1, 2, 3]) {
      made.push((await make(hub, ana, `train ${priority}`, { needs: ["gpu"], priority })).id);
      if (priority < 3) await hub.tick(MINUTE_MS);
    }
    expect(await needs(hub, ana)).toMatchObject([{ title: "No worker offers gpu" }]);
    for (const task_id of made.slice(0, 2)) await hub.call(ana, "task_cancel", { task_id });
    expect(await needs(hub, ana)).toEqual([]);
    await hub.tick(MINUTE_MS);
    expect(await needs(hub, ana)).toMatchObject([{ title: "No worker offers gpu", ref: made[2] }]);
    await claim(hub, piper, { offers: ["gpu"] });
    expect(await needs(hub, ana)).toEqual([]);
  });

  test("TASK-36: a budget that is used up pauses and asks; allowed, the work goes on; and so it does the next day", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    expect((await hub.call(mason, "budget_set", { scope: "space", per_day: { tasks: 1 } })).status).toBe(403);
    await hub.call(ana, "budget_set", { scope: "space", per_day: { tasks: 2 } });
    for (const content of ["a", "b", "c", "d", "e"]) await make(hub, ana, content);
    const doOne = async () => {
      const task = await claim(hub, mason);
      if (task) await hub.call(mason, "task_complete", { task_id: task.id, response_summary: "done" });
      return task?.content ?? null;
    };
    expect([await doOne(), await doOne(), await doOne()]).toEqual(["a", "b", null]);
    expect(await held(hub)).toEqual([
      ["c", "budget"],
      ["d", "budget"],
      ["e", "budget"],
    ]);
    const [asked] = await needs(hub, ana);
    expect(asked).toMatchObject({ kind: "task.budget", choices: ["allow", "wait"] });
    await hub.settle(ana, { id: asked.id, choice: "allow" });
    await hub.tick(0);
    expect([await doOne(), await doOne(), await doOne()]).toEqual(["c", "d", null]);
    const [again] = await needs(hub, ana);
    expect(again).toMatchObject({ kind: "task.budget" });
    await hub.tick(15 * HOUR_MS);
    expect(await needs(hub, ana)).toEqual([]);
    expect(await doOne()).toBe("e");
    expect((await hub.call(ana, "budget_list")).body.budgets).toMatchObject([
      { scope: "space", per_day: { tasks: 2 }, used: { tasks: 1 }, exhausted: false },
    ]);
  });

  test("TASK-36: a budget of nothing lets nothing begin, today or on any other day", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    await hub.call(ana, "budget_set", { scope: "space", per_day: { tasks: 0 } });
    await make(hub, ana, "never");
    for (const days of [0, 1, 1]) {
      await hub.tick(days * DAY_MS);
      expect([await claim(hub, mason), await held(hub)]).toEqual([null, [["never", "budget"]]]);
      expect((await hub.call(ana, "budget_list")).body.budgets).toMatchObject([
        { used: { tasks: 0 }, exhausted: true },
      ]);
    }
  });

  test("TASK-36: the budget of an account or an agent holds back nobody else", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    await hub.call(ana, "budget_set", { scope: "account", name: "team-b", per_day: { tasks: 0 } });
    await hub.call(ana, "budget_set", { scope: "agent", name: "mason", per_day: { tasks: 1 } });
    expect((await hub.call(ana, "budget_set", { scope: "account", per_day: { tasks: 1 } })).status).toBe(400);
    await make(hub, ana, "theirs", { account: "team-b" });
    await make(hub, ana, "one");
    await make(hub, ana, "two");
    const first = await claim(hub, mason);
    expect(first.content).toBe("one");
    await hub.call(mason, "task_complete", { task_id: first.id, response_summary: "done" });
    expect(await claim(hub, mason)).toBeNull();
    expect(await claim(hub, piper)).toMatchObject({ content: "two" });
    expect(await held(hub)).toEqual([["theirs", "budget"]]);
  });

  test("TASK-36: runs and what they cost count for the same budgets, each by its own measure", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    await hub.call(ana, "budget_set", { scope: "account", name: "team-b", per_day: { runs: 3, cost_usd: 1.5 } });
    const ctx = await hub.as(hub.admin);
    const spend = (cost_usd: number) => transact(ctx, (ctx) => charge(ctx, { account: "team-b", runs: 1, cost_usd }));
    await spend(0.5);
    expect(await isOverBudget(ctx, { account: "team-b" })).toBe(false);
    await spend(1.25);
    expect(await isOverBudget(ctx, { account: "team-b" })).toBe(true);
    expect(await isOverBudget(ctx, { account: "default" })).toBe(false);
    expect((await hub.call(ana, "budget_list")).body.budgets).toMatchObject([
      { used: { runs: 2, cost_usd: 1.75 }, exhausted: true },
    ]);
    expect(await needs(hub, ana)).toMatchObject([{ text: expect.stringContaining("$1.75 of $1.50") }]);
    await hub.call(ana, "budget_set", { scope: "account", name: "team-c", per_day: { cost_usd: 0.004 } });
    await transact(ctx, (ctx) => charge(ctx, { account: "team-c", cost_usd: 0.0045 }));
    expect((await needs(hub, ana)).map(({ text }: { text: string }) => text)).toContainEqual(
      expect.stringContaining("Used: $0.0045 of $0.004."),
    );
  });
});
