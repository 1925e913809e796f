import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { arm, disarm } from "../../failpoints.ts";
import { eachDatabase, onDatabase, type TestHub } from "../../testing/hub.ts";
import { consumeWake, listWakes, offerWake } from "./index.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const HOUR_MS = 3_600_000;

const wakes = (hub: TestHub): string[] =>
  existsSync(join(hub.home, "wake")) ? readdirSync(join(hub.home, "wake")).filter((name) => /-\d+$/.test(name)) : [];
const wakeOf = (hub: TestHub, name: string) => JSON.parse(readFileSync(join(hub.home, "wake", name), "utf8"));

eachDatabase((open) => {
  const make = async (hub: TestHub, token: string, content: string, more: object = {}) =>
    (await hub.call(token, "task_create", { content, ...more })).body;

  /** One that is claimed and completed. */
  async function doOne(hub: TestHub, worker: string, response_summary = "done"): Promise<string> {
    const { next_task } = (await hub.call(worker, "get_next_task")).body;
    const { id: task_id, attempt } = next_task;
    const { body } = await hub.call(worker, "task_complete", { task_id, attempt, response_summary });
    expect(body.status).toBe("done");
    return task_id;
  }

  const awaitOf = async (hub: TestHub, task_id: string) =>
    (await hub.call(hub.admin, "task_get", { task_id })).body.awaits[0];

  test("TASK-2: task, await and event are made together, and a failure leaves none of them", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    // Each time: what fails beside others is done again without them.
    arm("post.before_commit:throw:each");
    expect((await hub.call(gmail, "task_create", { content: "one" })).status).toBe(500);
    disarm();
    expect((await hub.call(hub.admin, "inbox_stats")).body.total).toBe(0);
    const { id } = await make(hub, gmail, "two");
    expect(await awaitOf(hub, id)).toMatchObject({ waiter: "trigger:gmail", offered_at: null, consumed_at: null });
  });

  test("WAKE-1 and WAKE-7: an end writes .wake-<trigger>-<id> whole, with the default session key and the session as it is then", async () => {
    let session_id = "before";
    const sessions = { idOf: async () => session_id };
    const hub = await open({
      now: START,
      modules: [{ name: "sessions", servers: [], tools: [], tables: [], sessions }],
    });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    session_id = "after";
    await doOne(hub, mason, "All is well");
    await hub.tick(0);
    expect(wakes(hub)).toEqual([`.wake-gmail-${id}`]);
    expect(wakeOf(hub, `.wake-gmail-${id}`)).toEqual({
      task_id: id,
      trigger_name: "gmail",
      session_key: "_default",
      session_id: "after",
      channel: "task",
      response_summary: "All is well",
      status: "done",
      attempt: 1,
      error: null,
    });
    await hub.tick(HOUR_MS);
    expect(readdirSync(join(hub.home, "wake")).filter((name) => name.startsWith(".tmp"))).toEqual([]);
    expect(await awaitOf(hub, id)).toMatchObject({ offered_at: "2027-03-01T09:00:00.000Z", consumed_at: null });
  });

  test("a task that can be claimed touches .wake, and so does a hub that starts with one waiting", async () => {
    const hub = await open({ now: START });
    const wake = join(hub.home, "wake", ".wake");
    await make(hub, hub.admin, "later", { run_at: "1h" });
    expect(existsSync(wake)).toBe(false);
    await make(hub, hub.admin, "now");
    await expect.poll(() => existsSync(wake)).toBe(true);
    await hub.stop();
    rmSync(wake);
    const again = await open({ same: hub, now: START });
    await expect.poll(() => existsSync(join(again.home, "wake", ".wake"))).toBe(true);
  });

  test("WAKE-1: in a folder in which a file can have no second name wakes come as in any other", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    arm("wake.mark:throw:each");
    const { id } = await make(hub, gmail, "one");
    await doOne(hub, mason);
    await hub.tick(0);
    disarm();
    expect(wakes(hub)).toEqual([`.wake-gmail-${id}`]);
    expect(wakeOf(hub, `.wake-gmail-${id}`)).toMatchObject({ task_id: id, status: "done" });
    rmSync(join(hub.home, "wake", `.wake-gmail-${id}`));
    await hub.tick(HOUR_MS);
    expect((await awaitOf(hub, id)).consumed_at).not.toBeNull();
    expect(readdirSync(join(hub.home, "wake")).filter((name) => name.startsWith(".tmp"))).toEqual([]);
  });

  test("WAKE-2 and WAKE-3: each task has a file of its own, and an await is over when its file was taken", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const first = await make(hub, gmail, "one", { session_key: "thread-7" });
    const second = await make(hub, gmail, "two");
    await doOne(hub, mason);
    await doOne(hub, mason);
    await hub.tick(0);
    expect(wakes(hub).sort()).toEqual([`.wake-gmail-${first.id}`, `.wake-gmail-${second.id}`].sort());
    expect(wakeOf(hub, `.wake-gmail-${first.id}`).session_key).toBe("thread-7");
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toHaveLength(2);
    await hub.tick(HOUR_MS);
    expect((await awaitOf(hub, first.id)).consumed_at).toBeNull();
    rmSync(join(hub.home, "wake", `.wake-gmail-${first.id}`));
    await hub.tick(HOUR_MS);
    expect((await awaitOf(hub, first.id)).consumed_at).not.toBeNull();
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toMatchObject([{ task_id: second.id }]);
  });

  test("WAKE-1: the hub removes the file once the trigger was told otherwise", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    await doOne(hub, mason);
    await hub.tick(0);
    expect(wakes(hub)).toHaveLength(1);
    expect((await hub.call(gmail, "task_wait", { task_ids: [id] })).body).toMatchObject({
      waiting: false,
      task: { id },
    });
    await hub.tick(0);
    expect(wakes(hub)).toEqual([]);
    expect((await awaitOf(hub, id)).consumed_at).not.toBeNull();
  });

  test("WAKE-4: a hub that ends between the end of a task and its wake writes it when it is back, once", async () => {
    const hub = await open({ now: START });
    // Where a folder cannot be made there is no file yet, as in a hub that was killed.
    writeFileSync(join(hub.home, "wake"), "");
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    await doOne(hub, mason);
    await hub.stop();
    rmSync(join(hub.home, "wake"));
    const again = await open({ same: hub, now: START + HOUR_MS });
    await again.tick(0);
    expect(wakes(again)).toEqual([`.wake-gmail-${id}`]);
    rmSync(join(again.home, "wake", `.wake-gmail-${id}`));
    await again.tick(HOUR_MS);
    await again.tick(HOUR_MS);
    expect(wakes(again)).toEqual([]);
  });

  test("WATCH-3: a hub that starts removes what one that was killed left in the wake folder, and nothing that is owed", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const [taken, owed] = [await make(hub, gmail, "one"), await make(hub, gmail, "two")];
    for (const _ of [taken, owed]) await doOne(hub, mason);
    await hub.call(gmail, "task_wait", { task_ids: [taken.id] });
    await hub.tick(0);
    await hub.stop();
    const folder = join(hub.home, "wake");
    for (const name of [`.wake-gmail-${taken.id}`, ".wake-gmail-7", ".tmp-old", ".tmp-new"])
      writeFileSync(join(folder, name), "{");
    utimesSync(join(folder, ".tmp-old"), 0, 0);
    const again = await open({ same: hub, now: START, config: { wake_dir: folder } });
    expect(readdirSync(folder).sort()).toEqual([".tmp-new", ".wake", ".wake-gmail-7", `.wake-gmail-${owed.id}`].sort());
    expect((await again.call(again.admin, "wake_list")).body.wakes).toMatchObject([{ task_id: owed.id }]);
  });

  test("TASK-15: a completion that is said again wakes nobody a second time", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id: task_id } = await make(hub, gmail, "one");
    const { attempt } = (await hub.call(mason, "get_next_task")).body.next_task;
    const complete = () => hub.call(mason, "task_complete", { task_id, attempt, response_summary: "done" });
    for (const _ of [1, 2]) expect((await complete()).status).toBe(200);
    await hub.tick(0);
    expect(wakes(hub)).toEqual([`.wake-gmail-${task_id}`]);
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toMatchObject([{ task_id, offers: 1 }]);
    rmSync(join(hub.home, "wake", `.wake-gmail-${task_id}`));
    await hub.tick(HOUR_MS);
    expect((await complete()).status).toBe(200);
    for (const ms of [0, HOUR_MS]) await hub.tick(ms);
    expect(wakes(hub)).toEqual([]);
  });

  test("WAKE-5: what was offered and not taken is owed still, and taken once, in the attempt that it tells of", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id: task_id } = await make(hub, gmail, "one", { session_key: "thread-7" });
    await doOne(hub, mason, "well");
    // The file is written by then, and is one offer.
    await hub.tick(0);
    const ctx = await hub.as(hub.admin);
    const owed = () => listWakes(ctx, { limit: 10 });
    const [wake] = await owed();
    expect(wake).toMatchObject({ task_id, trigger_name: "gmail", session_key: "thread-7", attempt: 1, offers: 1 });
    const { id = "" } = wake ?? {};
    // Who was about to resume the session died: it is offered to the next.
    for (const offers of [2, 3]) {
      expect(await offerWake(ctx, { id, attempt: 1, by: "runner" })).toBe(true);
      expect(await owed()).toMatchObject([{ id, offers }]);
    }
    expect(await consumeWake(ctx, { id, attempt: 7 })).toBe(false);
    expect(await consumeWake(ctx, { id, attempt: 1 })).toBe(true);
    expect(await consumeWake(ctx, { id, attempt: 1 })).toBe(false);
    expect(await offerWake(ctx, { id, attempt: 1, by: "runner" })).toBe(false);
    expect(await owed()).toEqual([]);
  });

  test("WAKE-6: a folder that cannot be written to fails no completion; the wake is owed, and written later", async () => {
    const hub = await open({ now: START });
    // A file is in its place: even root cannot write into it.
    writeFileSync(join(hub.home, "wake"), "");
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    await doOne(hub, mason);
    await hub.tick(0);
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toMatchObject([{ task_id: id, offered_at: null }]);
    rmSync(join(hub.home, "wake"));
    mkdirSync(join(hub.home, "wake"));
    chmodSync(join(hub.home, "wake"), 0o700);
    await hub.tick(HOUR_MS);
    expect(wakes(hub)).toEqual([`.wake-gmail-${id}`]);
  });

  test("WAKE-6: where no folder can be made, and the system says it is the one above that is missing, a try has an end", async () => {
    const hub = await open({ now: START, config: { wake_dir: "/proc/nowhere" } });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    for (const content of ["one", "two"]) await make(hub, gmail, content);
    await doOne(hub, mason);
    // It comes back once the file was tried: the try is over.
    await hub.tick(0);
    await doOne(hub, mason);
    await hub.tick(HOUR_MS);
    const owed = (await hub.call(hub.admin, "wake_list")).body.wakes;
    expect(owed.map(({ offers }: { offers: number }) => offers)).toEqual([0, 0]);
    await hub.stop();
  });

  test("what others have put into the folder in the place of a file leads nowhere, and keeps nothing from being told", async () => {
    const hub = await open({ now: START });
    const folder = join(hub.home, "wake");
    writeFileSync(folder, "");
    const [gmail, mason] = [await hub.token("trigger", "gmail"), await hub.token("worker", "mason")];
    const { id } = await make(hub, gmail, "one");
    await doOne(hub, mason);
    const [owed] = (await hub.call(hub.admin, "wake_list")).body.wakes;
    rmSync(folder);
    mkdirSync(folder, { mode: 0o700 });
    const elsewhere = join(hub.home, "elsewhere");
    writeFileSync(elsewhere, "untouched");
    for (const name of [".wake", `.tmp-${owed.id}-1`]) symlinkSync(elsewhere, join(folder, name));
    await hub.tick(HOUR_MS);
    expect(wakeOf(hub, `.wake-gmail-${id}`)).toMatchObject({ task_id: id, status: "done" });
    const isFile = () => lstatSync(join(folder, ".wake")).isFile();
    await make(hub, gmail, "two");
    await expect.poll(isFile).toBe(true);
    rmSync(join(folder, ".wake"));
    expect(spawnSync("mkfifo", [join(folder, ".wake")]).status).toBe(0);
    await make(hub, gmail, "three");
    await expect.poll(isFile).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toBe("untouched");
  });

  test("WAKE-8 and TASK-17: a task that is cancelled or dead wakes who waits, with that status and the error", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const dead = await make(hub, gmail, "one", { max_attempts: 1 });
    await hub.call(mason, "get_next_task");
    await hub.call(mason, "task_fail", { task_id: dead.id, error: "no such repository" });
    const cancelled = await make(hub, gmail, "two");
    await hub.call(gmail, "task_cancel", { task_id: cancelled.id, reason: "not needed" });
    await hub.tick(0);
    expect(wakeOf(hub, `.wake-gmail-${dead.id}`)).toMatchObject({ status: "dead", error: "no such repository" });
    expect(wakeOf(hub, `.wake-gmail-${cancelled.id}`)).toMatchObject({
      status: "cancelled",
      response_summary: "Cancelled: not needed",
    });
  });

  test("WAKE-9: each who waits for a task is told of its end", async () => {
    const hub = await open();
    const [gmail, github] = [await hub.token("trigger", "gmail"), await hub.token("trigger", "github")];
    const scout = await hub.token("agent", "scout");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one");
    const waiting = [github, scout].map((token) => hub.call(token, "task_wait", { task_ids: [id], wait_seconds: 60 }));
    const waiters = async () =>
      (await hub.call(hub.admin, "task_get", { task_id: id })).body.awaits.map(
        ({ waiter }: { waiter: string }) => waiter,
      );
    await expect.poll(waiters).toHaveLength(3);
    await doOne(hub, mason, "for all");
    for (const { body } of await Promise.all(waiting))
      expect(body).toMatchObject({ waiting: false, task: { id, response_summary: "for all" } });
    await expect.poll(() => wakes(hub)).toContain(`.wake-gmail-${id}`);
  });

  test("WAKE-9: each session of a trigger that waits for one task has its file, one after another", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const keys = ["thread-7", "thread-8"];
    const made = await Promise.all(
      keys.map((session_key) => make(hub, gmail, "one", { dedup_key: "one", session_key })),
    );
    const { id } = made[0];
    expect(made[1].id).toBe(id);
    await make(hub, gmail, "one", { dedup_key: "one", session_key: "thread-7" });
    await doOne(hub, mason);
    await hub.tick(0);
    const seen: string[] = [];
    for (const _ of keys) {
      seen.push(wakeOf(hub, `.wake-gmail-${id}`).session_key);
      rmSync(join(hub.home, "wake", `.wake-gmail-${id}`));
      for (const ms of [HOUR_MS, HOUR_MS]) await hub.tick(ms);
    }
    expect(seen.sort()).toEqual(keys);
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toEqual([]);
    expect(wakes(hub)).toEqual([]);
  });

  test("WAKE-9: who waits for a task several times at once is answered each time", async () => {
    const hub = await open();
    const scout = await hub.token("agent", "scout");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, scout, "one");
    const waiting = [1, 2, 3].map(() => hub.call(scout, "task_wait", { task_ids: [id], wait_seconds: 60 }));
    await expect.poll(() => [...hub.hub.streams.actors()].map(({ name }) => name)).toEqual(["scout"]);
    await doOne(hub, mason, "for all");
    for (const { body } of await Promise.all(waiting)) expect(body.task?.response_summary).toBe("for all");
  });

  test("TASK-33: task_wait answers with the first that ended, also when that was before", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const mason = await hub.token("worker", "mason");
    const [first, second] = [await make(hub, ana, "one"), await make(hub, ana, "two")];
    const task_ids = [second.id, first.id];
    expect((await hub.call(ana, "task_wait", { task_ids, wait_seconds: 0 })).body).toMatchObject({
      waiting: true,
      task: null,
    });
    const waiting = hub.call(ana, "task_wait", { task_ids, wait_seconds: 60 });
    await doOne(hub, mason, "first");
    expect((await waiting).body.task).toMatchObject({ id: first.id, response_summary: "first" });
    await doOne(hub, mason, "second");
    expect((await hub.call(ana, "task_wait", { task_ids })).body.task.id).toBe(first.id);
    expect((await hub.call(ana, "task_wait", { task_ids: [second.id] })).body.task.response_summary).toBe("second");
    expect((await hub.call(ana, "task_wait", { task_ids: ["7"] })).body.error).toBe("Task 7 not found");
  });

  test("TASK-35: the wake of an earlier end is taken back when the task is tried again, and never touches the later one", async () => {
    const hub = await open({ now: START });
    const gmail = await hub.token("trigger", "gmail");
    const mason = await hub.token("worker", "mason");
    const { id } = await make(hub, gmail, "one", { max_attempts: 1 });
    await hub.call(mason, "get_next_task");
    await hub.call(mason, "task_fail", { task_id: id, error: "no luck" });
    await hub.tick(0);
    expect(wakeOf(hub, `.wake-gmail-${id}`)).toMatchObject({ status: "dead", attempt: 1 });
    await hub.call(hub.admin, "task_requeue", { task_id: id });
    await hub.tick(0);
    expect(wakes(hub)).toEqual([]);
    expect((await hub.call(hub.admin, "wake_list")).body.wakes).toEqual([]);
    const stale = { task_id: id, attempt: 1, response_summary: "late" };
    expect((await hub.call(mason, "task_complete", stale)).body.code).toBe("LEASE_LOST");
    await doOne(hub, mason, "better");
    await hub.tick(0);
    expect(wakeOf(hub, `.wake-gmail-${id}`)).toMatchObject({ status: "done", attempt: 2, response_summary: "better" });
  });

  test("a result goes to the agent or person who asked, as mail from the worker in the thread it came from", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    const scout = await hub.token("agent", "scout");
    const mason = await hub.token("worker", "mason");
    const { body: sent } = await hub.call(ana, "mail_send", {
      to: ["scout"],
      subject: "Tests",
      body: "Please run them",
    });
    await make(hub, scout, "Run the tests", { thread_id: sent.thread_id });
    await doOne(hub, mason, "All 12 pass.");
    await hub.tick(0);
    const { messages } = (await hub.call(scout, "mail_inbox", {})).body;
    expect(messages).toContainEqual(
      expect.objectContaining({ from: "mason", subject: "Done: Run the tests", thread_id: sent.thread_id }),
    );
    const foreign = await hub.call(mason, "mail_thread", { id: sent.thread_id });
    expect(foreign.status).toBe(200);
    const { body: refused } = await hub.call(scout, "task_create", { content: "x", thread_id: "123" });
    expect(refused.code).toBe("THREAD_NOT_FOUND");
  });
});

onDatabase("postgres", (open) => {
  test("a node that has another wake folder takes no file of this one for taken", async () => {
    const first = await open({ now: START });
    const gmail = await first.token("trigger", "gmail");
    const mason = await first.token("worker", "mason");
    const { id } = (await first.call(gmail, "task_create", { content: "one" })).body;
    await first.call(mason, "get_next_task");
    await first.call(mason, "task_complete", { task_id: id, response_summary: "done" });
    await first.tick(0);
    expect(wakes(first)).toEqual([`.wake-gmail-${id}`]);
    // The other node alone is there to look.
    await first.stop();
    const second = await open({ same: first, now: START });
    for (const ms of [HOUR_MS, HOUR_MS, HOUR_MS]) await second.tick(ms);
    expect((await second.call(second.admin, "wake_list")).body.wakes).toMatchObject([{ task_id: id }]);
    expect(wakes(second)).toEqual([]);
  });
});
