import { expect, test } from "vitest";
import { EventStream } from "../../testing/event-stream.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { CLIENTS } from "../../testing/mcp.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const MINUTE_MS = 60_000;

eachDatabase((open) => {
  const make = async (hub: TestHub, token: string, content: string, more: object = {}) =>
    (await hub.call(token, "task_create", { content, ...more })).body;
  const claim = async (hub: TestHub, token: string, more: object = {}) =>
    (await hub.call(token, "get_next_task", more)).body;

  test("TASK-1: task_create returns id, status pending, sender trigger:<name>, channel task, ISO-8601 Z created_at", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const made = await make(hub, gmail, "Answer the mail of Ben");
    expect(made).toMatchObject({ status: "pending", sender: "trigger:gmail", channel: "task", response_summary: null });
    expect(made.id).toMatch(/^\d{16}$/);
    expect(made.created_at).toBe("2027-03-01T09:00:00.000Z");
    const worker = await hub.token("worker", "mason");
    expect((await hub.call(worker, "task_get", { task_id: Number(made.id) })).body).toMatchObject({
      id: made.id,
      awaits: [{ waiter: "trigger:gmail", session_key: "_default" }],
    });
  });

  test("TASK-3: empty, blank or oversize content is rejected with isError", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    for (const connect of Object.values(CLIENTS)) {
      await using client = await connect({ url: hub.url, token: ana });
      for (const content of ["", " \n\t", "x".repeat(2 * 1024 * 1024 + 1)])
        expect(await client.call("task_create", { content })).toMatchObject({ isError: true });
    }
    expect((await hub.call(ana, "inbox_stats")).body.total).toBe(0);
  });

  test("TASK-4: the oldest is first among equals, also within one millisecond", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    for (const content of ["one", "two", "three"]) await make(hub, ana, content);
    for (const content of ["one", "two", "three"]) {
      const { next_task } = await claim(hub, mason);
      expect(next_task.content).toBe(content);
      await hub.call(mason, "task_complete", { task_id: next_task.id, response_summary: "done" });
    }
  });

  test("TASK-5: higher priority is first, and waiting makes up for a low one", async () => {
    const hub = await open({ now: START, config: { task_ageing_seconds: 60 } });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    await make(hub, ana, "low");
    await make(hub, ana, "high", { priority: 2 });
    await hub.tick(MINUTE_MS + 1);
    await make(hub, ana, "middle", { priority: 1 });
    await hub.tick(2 * MINUTE_MS);
    await make(hub, ana, "late and high", { priority: 2 });
    const order: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { next_task } = await claim(hub, mason);
      order.push(next_task.content);
      await hub.call(mason, "task_complete", { task_id: next_task.id, response_summary: "done" });
    }
    expect(order).toEqual(["high", "low", "middle", "late and high"]);
  });

  test("TASK-6 and TASK-7: each task is handed to exactly one of many workers", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const workers = await Promise.all(Array.from({ length: 6 }, (_, n) => hub.token("worker", `mason-${n}`)));
    await Promise.all(Array.from({ length: 30 }, (_, n) => make(hub, ana, `job ${n}`)));
    const given: string[] = [];
    await Promise.all(
      workers.map(async (worker) => {
        for (;;) {
          const { next_task } = await claim(hub, worker);
          if (!next_task) return;
          given.push(next_task.id);
          const { id: task_id, attempt } = next_task;
          const done = await hub.call(worker, "task_complete", { task_id, attempt, response_summary: "done" });
          expect(done.body.status).toBe("done");
        }
      }),
    );
    expect([given.length, new Set(given).size]).toEqual([30, 30]);
  });

  test("TASK-8 and TASK-9: who has a task is warned and shown it; an empty queue says so", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    expect(await claim(hub, mason)).toEqual({ next_task: null, message: expect.stringContaining("No pending tasks") });
    const { id } = await make(hub, ana, "one");
    await make(hub, ana, "two");
    await claim(hub, mason);
    await hub.tick(30_000);
    const again = await claim(hub, mason);
    expect(again).toMatchObject({
      next_task: null,
      warning: expect.stringContaining("You already have an active task"),
      active_task: { id, attempt: 1, lease_expires_at: "2027-03-01T09:01:30.000Z" },
    });
  });

  test("TASK-10 and TASK-11: a claim has a lease and a token, and is offered again when it ran out, not before", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "flaky");
    expect((await claim(hub, mason)).next_task).toMatchObject({
      id,
      attempt: 1,
      claimed_by: "mason",
      lease_expires_at: "2027-03-01T09:01:00.000Z",
    });
    await hub.tick(59_000);
    expect((await claim(hub, piper)).next_task).toBeNull();
    await hub.tick(1_000);
    expect((await claim(hub, piper)).next_task).toMatchObject({ id, attempt: 2, claimed_by: "piper" });
    const { attempts } = (await hub.call(ana, "task_get", { task_id: id })).body;
    expect(attempts).toMatchObject([
      { attempt: 1, worker: "mason", outcome: "expired", ended_at: "2027-03-01T09:01:00.000Z" },
      { attempt: 2, worker: "piper", outcome: null },
    ]);
  });

  test("TASK-12: a long task with heartbeats is never given to another", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "long");
    await claim(hub, mason);
    for (let n = 0; n < 10; n++) {
      await hub.tick(50_000);
      expect((await hub.call(mason, "task_heartbeat", { task_id: id })).body).toMatchObject({
        cancel_requested: false,
      });
      expect((await claim(hub, piper)).next_task).toBeNull();
    }
    const done = await hub.call(mason, "task_complete", { task_id: id, response_summary: "at last" });
    expect(done.body).toMatchObject({ status: "done", attempt: 1 });
  });

  test("TASK-12: whatever else its worker calls keeps its task as well", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const [mason, piper] = [await hub.token("worker", "mason"), await hub.token("worker", "piper")];
    const { id } = await make(hub, ana, "long");
    await claim(hub, mason);
    for (const tool of ["inbox_stats", "mail_inbox", "trigger_list", "whoami"]) {
      await hub.tick(50_000);
      expect((await hub.call(mason, tool)).status).toBe(200);
      expect((await claim(hub, piper)).next_task).toBeNull();
    }
    await hub.tick(61_000);
    expect((await hub.call(ana, "task_get", { task_id: id })).body).toMatchObject({ status: "pending", attempt: 1 });
  });

  test("TASK-14: completing what is not being worked on says so in the queue's words", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const complete = async (task_id: string) =>
      (await hub.call(mason, "task_complete", { task_id, response_summary: "done" })).body;
    const { id } = await make(hub, ana, "one");
    const otherwise = { task_id: id, attempt: 1, response_summary: "Something else." };
    const says = (status: string) => `Task ${id} is '${status}' — can only complete tasks in 'processing' status`;
    expect(await complete(id)).toMatchObject({ error: says("pending"), code: "TASK_STATE", status: "pending" });
    await claim(hub, mason);
    await complete(id);
    expect((await complete(id)).error).toBe(says("done"));
    expect((await hub.call(mason, "task_complete", otherwise)).body.error).toBe(says("done"));
    expect((await complete("12")).error).toBe("Task 12 not found");
    expect((await hub.call(ana, "task_get", { task_id: 99999 })).body.error).toBe("Task 99999 not found");
  });

  test("TASK-15: the same completion again is the same success, counted and told once", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    using stream = await EventStream.open(hub.url, { token: ana, topics: "tasks" });
    const { id } = await make(hub, ana, "one");
    const { attempt } = (await claim(hub, mason)).next_task;
    const complete = () => hub.call(mason, "task_complete", { task_id: id, attempt, response_summary: "done" });
    const first = await complete();
    expect(await complete()).toMatchObject({ status: 200, body: first.body });
    expect((await hub.call(ana, "inbox_stats")).body).toMatchObject({ total: 1, by_status: { done: 1 } });
    const last = await make(hub, ana, "two");
    const told = () => stream.events.filter(({ event }) => event === "tasks").map(({ data }) => data);
    await expect.poll(told).toContainEqual(expect.objectContaining({ type: "task.created", task_id: last.id }));
    expect(told().map((event) => event.type)).toEqual([
      ...["task.created", "task.claimed", "task.completed", "task.created"],
    ]);
  });

  test("TASK-16 and TASK-17: what fails is tried again later and later, and is dead in the end", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, ana, "broken", { max_attempts: 3 });
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect((await claim(hub, mason)).next_task).toMatchObject({ id, attempt });
      const { body } = await hub.call(mason, "task_fail", { task_id: id, attempt, error: `no luck ${attempt}` });
      expect(body).toMatchObject({ status: "pending", held_for: "delay", error: `no luck ${attempt}` });
      const delay = Date.parse(body.run_at) - hub.hub.database.now();
      delays.push(delay);
      await hub.tick(delay - 1);
      expect((await claim(hub, mason)).next_task).toBeNull();
      await hub.tick(1);
    }
    expect(delays[0]).toBeGreaterThanOrEqual(7_500);
    expect(delays[0]).toBeLessThanOrEqual(12_500);
    expect(delays[1]).toBeGreaterThanOrEqual(15_000);
    await claim(hub, mason);
    const { body } = await hub.call(mason, "task_fail", { task_id: id, error: "no luck 3" });
    expect(body).toMatchObject({ status: "dead", error: "no luck 3" });
    expect((await hub.call(ana, "task_list", { status: "dead" })).body.tasks).toMatchObject([{ id }]);
  });

  test("TASK-19: the same key while the task lives is the same task, and another body is a conflict", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, ana, "nightly", { dedup_key: "night" });
    expect((await make(hub, ana, "nightly", { dedup_key: "night" })).id).toBe(id);
    expect(await make(hub, ana, "other", { dedup_key: "night" })).toMatchObject({ code: "CONFLICT", task_id: id });
    await claim(hub, mason);
    expect((await make(hub, ana, "nightly", { dedup_key: "night" })).id).toBe(id);
    await hub.call(mason, "task_complete", { task_id: id, response_summary: "done" });
    expect((await make(hub, ana, "nightly", { dedup_key: "night" })).id).not.toBe(id);
  });

  test("TASK-20: a delayed task cannot be claimed before its time", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, ana, "tomorrow", { run_at: "2h" });
    expect((await hub.call(ana, "task_get", { task_id: id })).body.held_for).toBe("delay");
    await hub.tick(2 * 60 * MINUTE_MS - 1);
    expect((await claim(hub, mason)).next_task).toBeNull();
    await hub.tick(1);
    expect((await claim(hub, mason)).next_task).toMatchObject({ id });
  });

  test("TASK-20: a day that no calendar has is no time to begin at", async () => {
    const hub = await open({ now: Date.parse("2027-01-10T09:00:00Z") });
    const ana = await hub.token("human", "ana");
    for (const run_at of ["2027-02-30", "2027-04-31T10:00:00Z", "2027-02-29T00:00:00+02:00"])
      expect(await make(hub, ana, "late", { run_at })).toMatchObject({
        error: expect.stringContaining(`${JSON.stringify(run_at)} is not a time. Write `),
      });
    expect(await make(hub, ana, "late", { run_at: "2028-02-29" })).toMatchObject({
      run_at: "2028-02-29T00:00:00.000Z",
    });
  });

  test("TASK-21: a task is changed only while it is pending", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, ana, "draft");
    expect((await hub.call(ana, "task_update", { task_id: id, content: "final" })).body.content).toBe("final");
    const [changed, given] = await Promise.all([
      hub.call(ana, "task_update", { task_id: id, content: "too late?" }),
      claim(hub, mason),
    ]);
    // Whoever was first: the worker has what stands in the task.
    expect(given.next_task.content).toBe(changed.status === 200 ? "too late?" : "final");
    expect((await hub.call(ana, "task_update", { task_id: id, content: "late" })).body.error).toBe(
      `Task ${id} is 'processing' — can only update tasks in 'pending' status`,
    );
  });

  test("TASK-22 and TASK-23: a pending task is cancelled at once, and the worker of one that runs is asked to stop", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    const cancel = async (task_id: string, reason?: string) =>
      (await hub.call(gmail, "task_cancel", { task_id, ...(reason && { reason }) })).body;
    expect(await cancel(id, "no need")).toMatchObject({ status: "cancelled", response_summary: "Cancelled: no need" });
    expect((await cancel(id)).error).toBe(`Task ${id} is 'cancelled' — can only cancel tasks in 'pending' status`);
    expect(await cancel((await make(hub, gmail, "two")).id)).toMatchObject({ response_summary: "Cancelled" });
    const third = await make(hub, gmail, "three");
    await claim(hub, mason);
    expect(await cancel(third.id, "stop")).toMatchObject({ status: "processing", cancel_reason: "stop" });
    expect((await hub.call(mason, "task_heartbeat", { task_id: third.id })).body).toMatchObject({
      cancel_requested: true,
      cancel_reason: "stop",
    });
    const given_up = await hub.call(mason, "task_fail", { task_id: third.id, error: "stopped" });
    expect(given_up.body).toMatchObject({ status: "cancelled", response_summary: "Cancelled: stop" });
  });

  test("TASK-24: only who made a task changes it, and people", async () => {
    const hub = await open({ now: START });
    const [gmail, github] = [await hub.token("trigger", "gmail"), await hub.token("trigger", "github")];
    const ana = await hub.token("human", "ana");
    const { id } = await make(hub, gmail, "one");
    expect((await hub.call(github, "task_update", { task_id: id, content: "mine" })).status).toBe(403);
    expect((await hub.call(github, "task_cancel", { task_id: id })).status).toBe(403);
    expect((await hub.call(ana, "task_get", { task_id: id })).body).toMatchObject({
      content: "one",
      status: "pending",
    });
    expect((await hub.call(ana, "task_cancel", { task_id: id })).body.status).toBe("cancelled");
  });

  test("TASK-25: of one concurrency key no more than its number run, and other keys are not held back", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const workers = await Promise.all(["mason", "piper", "quinn", "rufus"].map((name) => hub.token("worker", name)));
    const [mason = "", piper = "", quinn = "", rufus = ""] = workers;
    const key = { concurrency_key: "repo:x", concurrency_limit: 2 };
    for (const content of ["a", "b", "c", "d"]) await make(hub, ana, content, key);
    await make(hub, ana, "other", { concurrency_key: "repo:y" });
    const first = (await claim(hub, mason)).next_task;
    expect((await claim(hub, piper)).next_task.content).toBe("b");
    expect((await claim(hub, quinn)).next_task.content).toBe("other");
    expect((await claim(hub, rufus)).next_task).toBeNull();
    const waiting = (await hub.call(ana, "task_list")).body.tasks;
    expect(waiting).toMatchObject([
      { content: "c", held_for: "concurrency" },
      { content: "d", held_for: "concurrency" },
    ]);
    await hub.call(mason, "task_complete", { task_id: first.id, response_summary: "done" });
    expect((await claim(hub, rufus)).next_task.content).toBe("c");
    expect((await claim(hub, mason)).next_task).toBeNull();
  });

  test("TASK-26: task_list takes a status and a number within bounds, and pages through all", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    for (let n = 0; n < 25; n++) await make(hub, ana, `job ${n}`);
    expect((await hub.call(ana, "task_list", { status: "lost" })).status).toBe(400);
    for (const limit of [0, 101, 1.5]) expect((await hub.call(ana, "task_list", { limit })).status).toBe(400);
    const first = (await hub.call(ana, "task_list")).body;
    expect(first.tasks.map(({ content }: { content: string }) => content)).toEqual(
      Array.from({ length: 20 }, (_, n) => `job ${n}`),
    );
    const second = (await hub.call(ana, "task_list", { cursor: first.next })).body;
    expect(second).toMatchObject({ next: null });
    expect(second.tasks).toHaveLength(5);
  });

  test("TASK-27: the counts by status and by channel add up to the total, with the age of the oldest", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    for (const channel of ["web", "email", "web"]) await make(hub, ana, `from ${channel}`, { channel });
    const { id } = (await claim(hub, mason)).next_task;
    await hub.call(mason, "task_complete", { task_id: id, response_summary: "done" });
    await claim(hub, mason);
    await hub.tick(30_000);
    expect((await hub.call(ana, "inbox_stats")).body).toEqual({
      total: 3,
      by_status: { pending: 1, processing: 1, done: 1, cancelled: 0, dead: 0 },
      by_channel: { web: 2, email: 1 },
      oldest_pending_seconds: 30,
    });
  });

  test("ROLE-2: a tool of another role is refused and changes nothing", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    await make(hub, gmail, "one");
    for (const tool of ["get_next_task", "task_list", "inbox_stats"])
      expect((await hub.call(gmail, tool)).status).toBe(403);
    expect((await hub.call(mason, "task_create", { content: "mine" })).status).toBe(403);
    expect((await hub.call(mason, "inbox_stats")).body).toMatchObject({ total: 1, by_status: { pending: 1 } });
  });

  test("a worker that waits gets a task as soon as there is one", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const waiting = claim(hub, mason, { wait_seconds: 60 });
    await expect.poll(() => [...hub.hub.streams.actors()].map(({ name }) => name)).toContain("mason");
    const { id } = await make(hub, ana, "now");
    expect((await waiting).next_task).toMatchObject({ id, attempt: 1 });
  });
});
