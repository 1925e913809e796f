/** A hub is killed where a task changes hands: nothing acknowledged is lost, and what was completed is not done again. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown, type Reply } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const KILLED = { code: null, signal: "SIGKILL" };
const SHORT_LEASE = { PARLEY_TASK_LEASE_SECONDS: "2" };
const CREW = 4;

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

eachDatabaseOfHubs((database) => {
  test("G10, G11, G13 and TASK-11: killed in the middle of a claim, a completion or a webhook's answer, nothing is lost or done twice, and what was claimed is offered again after its lease", async () => {
    await using restarts = await Restarts.on(database);
    const killedAt = async (point: string, env: object, work: () => Promise<unknown>): Promise<void> => {
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill`, ...env });
      expect([point, await work()]).toEqual([point, undefined]);
      expect([point, await restarts.ended()]).toEqual([point, KILLED]);
    };
    await restarts.start();
    const [mason, piper] = [await restarts.token("worker", "mason"), await restarts.token("worker", "piper")];
    await callTool(restarts.admin, "trigger_create", { name: "github", type: "webhook" });
    const made = await callTool(restarts.admin, "task_create", { content: "Build it" });
    const { id: task_id } = made?.body ?? {};
    const shown = async () => (await callTool(restarts.admin, "task_get", { task_id }))?.body;
    await restarts.hub.kill("SIGTERM");

    // Nothing was committed: nobody has it.
    await killedAt("claim.after_update", SHORT_LEASE, () => callTool(mason, "get_next_task", {}));
    await killedAt("claim.before_reply", SHORT_LEASE, async () => {
      expect(await shown()).toMatchObject({ status: "pending", attempt: 0, attempts: [] });
      return callTool(mason, "get_next_task", {});
    });
    // It was, and who claimed it never heard of it: it is the next one's after the lease, not before.
    const summary = { task_id, attempt: 2, response_summary: "Built by piper" };
    await killedAt("complete.after_update", {}, async () => {
      const given = await callTool(piper, "get_next_task", { wait_seconds: 50 });
      expect(given?.body.next_task).toMatchObject({ id: task_id, attempt: 2, claimed_by: "piper" });
      const [first, second] = (await shown()).attempts;
      expect(first).toMatchObject({ worker: "mason", outcome: "expired" });
      expect(seconds(first.claimed_at, second.claimed_at)).toBeGreaterThanOrEqual(2);
      return callTool(piper, "task_complete", summary);
    });
    const headers = { "content-type": "application/json", "x-github-delivery": randomUUID() };
    const deliver = () =>
      fetch(`${restarts.hub.url}/api/webhook/github`, { method: "POST", headers, body: "{}" }).then(
        async (response) => ({ status: response.status, body: await response.json() }),
        () => undefined,
      );
    await killedAt("webhook.after_commit", {}, async () => {
      expect(await shown()).toMatchObject({ status: "processing", attempt: 2, response_summary: null });
      expect((await callTool(piper, "task_complete", summary))?.body).toMatchObject({ status: "done" });
      return deliver();
    });

    await restarts.start();
    // What was completed is so for ever: the same again is a success that changes nothing, an earlier attempt none.
    const done = await shown();
    expect((await callTool(piper, "task_complete", summary))?.body).toMatchObject({ status: "done" });
    const late = await callTool(mason, "task_complete", { ...summary, attempt: 1, response_summary: "Built by mason" });
    expect(late).toMatchObject({ status: 409, body: { code: "LEASE_LOST" } });
    expect(await shown()).toEqual(done);
    const again = await deliver();
    expect(again).toMatchObject({ status: 200, body: { message: expect.stringContaining("was received before") } });
    expect((await callTool(restarts.admin, "trigger_runs", {}))?.body.runs).toHaveLength(1);
    const { by_status } = (await callTool(restarts.admin, "inbox_stats", {}))?.body ?? {};
    expect(by_status).toMatchObject({ pending: 1, done: 1 });
  });

  test("TASK-28 and TASK-29: a creator and four workers at once meet no locked database, and kill -9 in the middle loses nothing acknowledged", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    const workers = await Promise.all(Array.from({ length: CREW }, (_, n) => restarts.token("worker", `mason-${n}`)));
    const crew = new Crew();
    const all = Promise.all([crew.create(ana), ...workers.map((worker) => crew.work(worker))]);
    // Whoever fails is told of where it is waited for, not beside the test.
    all.catch(() => {});
    // Somebody else reads the file all the while, as a backup does.
    using reader = database === "sqlite" ? new DatabaseSync(join(restarts.ground.home, "parley.db")) : undefined;
    for (const kills of [1, 0]) {
      const enough = performance.now() + SECONDS[database] * 500;
      const before = crew.done.size;
      const isEnough = (): boolean => {
        reader?.prepare("select count(*) from tasks").get();
        return performance.now() > enough && crew.done.size > before + 20;
      };
      await Promise.race([all, until(isEnough)]);
      if (kills > 0) {
        await restarts.kill();
        await restarts.start();
      }
    }
    crew.stop();
    await all;

    // Each that was acknowledged is there, and was completed by one worker in one attempt.
    expect([...crew.done.keys()].toSorted()).toEqual(crew.made.toSorted());
    for (const [id, by] of crew.done) expect([id, by]).toEqual([id, [expect.any(String)]]);
    const { by_status } = (await callUntilKnown(ana, "inbox_stats", {})).body;
    expect(by_status).toMatchObject({ done: crew.made.length });
  });
});

const SECONDS = { sqlite: 10, postgres: 4 };

/** One that makes tasks and some who do them, whatever happens to the hub; and what it has told them. */
class Crew {
  readonly made: string[] = [];
  /** Who completed what, in which attempt. */
  readonly done = new Map<string, string[]>();
  #isStopped = false;
  #isEmpty = false;

  stop(): void {
    this.#isStopped = true;
  }

  async create(caller: Caller): Promise<void> {
    for (let n = 0; !this.#isStopped; n++)
      this.made.push((await ask(caller, "task_create", { content: `Job ${n}` }, `job ${n}`)).id);
    this.#isEmpty = true;
  }

  async work(caller: Caller): Promise<void> {
    for (let over = false; !over; ) {
      const last = this.#isEmpty;
      // One that was claimed without an answer is shown as what the worker has already.
      const { next_task, active_task } = await ask(caller, "get_next_task", { wait_seconds: last ? 0 : 1 });
      const task = next_task ?? active_task;
      if (task) await this.#complete(caller, task);
      over = last && !task;
    }
  }

  async #complete(caller: Caller, { id: task_id, attempt }: { id: string; attempt: number }): Promise<void> {
    const { claimed_by } = await ask(caller, "task_complete", { task_id, attempt, response_summary: "done" });
    this.done.set(task_id, [...(this.done.get(task_id) ?? []), `${claimed_by} ${attempt}`]);
  }
}

/** Anything but a success is a failure, a locked database among them. */
async function ask(caller: Caller, tool: string, args: object, key?: string): Promise<Reply["body"]> {
  const { status, body } = await callUntilKnown(caller, tool, args, key);
  if (status !== 200) throw new Error(`${tool}: ${status} ${JSON.stringify(body)}`);
  return body;
}
