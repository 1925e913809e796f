/** Wakes reach a program that looks for them all the time, and tasks the next worker, whatever is killed meanwhile. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown, type Reply } from "../src/testing/crowd.ts";
import { exited, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { writtenLines } from "../src/testing/written.ts";

const KILLED = { code: null, signal: "SIGKILL" };

/** Takes every file of a wake that it sees, and notes what it read. Half of one would end it. */
const READER = `
  const fs = require("node:fs");
  const [folder, log] = process.argv.slice(1);
  const look = () => {
    for (const name of fs.readdirSync(folder)) {
      if (!/^\\.wake-.+-\\d+$/.test(name)) continue;
      const wake = JSON.parse(fs.readFileSync(folder + "/" + name, "utf8"));
      fs.unlinkSync(folder + "/" + name);
      fs.appendFileSync(log, wake.trigger_name + " " + wake.task_id + " " + wake.status + "\\n");
    }
    setImmediate(look);
  };
  look();
`;

class Reader implements Disposable {
  readonly #process: ChildProcess;
  readonly #log: string;

  constructor({ ground }: Restarts) {
    const folder = join(ground.home, "wake");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#log = join(ground.folder, "wakes");
    this.#process = spawn(process.execPath, ["-e", READER, folder, this.#log], { stdio: "inherit" });
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null;
  }

  get taken(): string[] {
    return writtenLines(this.#log);
  }

  [Symbol.dispose](): void {
    this.#process.kill("SIGKILL");
  }
}

eachDatabaseOfHubs((database) => {
  const complete = (caller: Caller, { id: task_id, attempt }: { id: string; attempt: number }) =>
    callUntilKnown(caller, "task_complete", { task_id, attempt, response_summary: "done" });
  /** Nobody is owed anything: each was offered, and it was seen that somebody has taken it. What a hub was killed with in hand is begun anew after a minute. */
  const noneOwed = ({ admin }: Restarts) =>
    until(async () => (await callUntilKnown(admin, "wake_list", {})).body.wakes.length === 0, 240_000);

  test("WAKE-1: whoever looks all the time reads each wake whole and exactly once, though the hub is killed meanwhile", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [gmail, mason] = [await restarts.token("trigger", "gmail"), await restarts.token("worker", "mason")];
    using reader = new Reader(restarts);
    const made: string[] = [];
    for (let n = 0; n < 30; n++) {
      const content = `Job ${n}`;
      made.push((await callUntilKnown(gmail, "task_create", { content }, content)).body.id);
    }
    for (let n = 0; n < made.length; n++) {
      // One that was claimed without an answer is shown as what the worker has already.
      const { next_task, active_task } = (await callUntilKnown(mason, "get_next_task", {})).body;
      await complete(mason, next_task ?? active_task);
      if (n === 15) {
        await restarts.kill();
        await restarts.start();
      }
    }
    await noneOwed(restarts);
    expect(reader.taken.toSorted()).toEqual(made.map((id) => `gmail ${id} done`).toSorted());
    expect(reader.isAlive).toBe(true);
  });

  for (const point of ["wake.mark", "wake.before_file", "wake.after_file"])
    test(`WAKE-4: killed between the end of a task and its wake, at ${point}, a hub that comes back delivers it exactly once`, async () => {
      await using restarts = await Restarts.on(database);
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill` });
      const [gmail, mason] = [await restarts.token("trigger", "gmail"), await restarts.token("worker", "mason")];
      using reader = new Reader(restarts);
      const { id } = (await callUntilKnown(gmail, "task_create", { content: "Build it" })).body;
      const { next_task } = (await callUntilKnown(mason, "get_next_task", {})).body;
      const task = { task_id: id, attempt: next_task.attempt, response_summary: "Built" };
      // The answer may be lost with the hub; what it says is stored.
      await callTool(mason, "task_complete", task);
      expect(await restarts.ended()).toEqual(KILLED);
      const before = point === "wake.after_file" ? [`gmail ${id} done`] : [];
      await until(() => reader.taken.length === before.length);
      expect(reader.taken).toEqual(before);

      await restarts.start();
      await noneOwed(restarts);
      expect(reader.taken).toEqual([`gmail ${id} done`]);
      const { awaits } = (await callUntilKnown(restarts.admin, "task_get", { task_id: id })).body;
      expect(awaits).toMatchObject([{ consumed_at: expect.any(String) }]);
    });

  test("TASK-11 and TASK-13: a worker's process is killed, its task is another's when the lease is over, not before, and what the first still says changes nothing", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start({ PARLEY_TASK_LEASE_SECONDS: "3" });
    const [mason, piper] = [await restarts.token("worker", "mason"), await restarts.token("worker", "piper")];
    const { id } = (await callTool(restarts.admin, "task_create", { content: "Build it" }))?.body ?? {};
    const held = await workerProcess(restarts, mason, id);
    const shown = async () => (await callTool(restarts.admin, "task_get", { task_id: id }))?.body;
    const ask = async (caller: Caller, tool: string, args: object): Promise<Reply["body"]> =>
      (await callTool(caller, tool, args))?.body;

    // While it lives, a client that knows of no heartbeat keeps its task for longer than a lease.
    const { lease_expires_at } = await shown();
    await until(async () => (await shown()).lease_expires_at > lease_expires_at);
    expect(await ask(piper, "get_next_task", {})).toMatchObject({ next_task: null });

    held.kill("SIGKILL");
    await exited(held);
    const { lease_expires_at: last } = await shown();
    const { next_task } = await ask(piper, "get_next_task", { wait_seconds: 50 });
    expect(next_task).toMatchObject({ id, attempt: 2, claimed_by: "piper" });
    expect(next_task.claimed_at >= last).toBe(true);

    // What the killed one had sent off arrives after all.
    const late = { task_id: id, attempt: 1 };
    for (const [tool, more] of [
      ["task_complete", { response_summary: "Built by mason" }],
      ["task_fail", { error: "It broke." }],
      ["task_heartbeat", {}],
    ] as const)
      expect([tool, (await ask(mason, tool, { ...late, ...more })).code]).toEqual([tool, "LEASE_LOST"]);
    expect(await shown()).toMatchObject({ status: "processing", claimed_by: "piper", attempt: 2 });
    await ask(piper, "task_complete", { task_id: id, attempt: 2, response_summary: "Built by piper" });
    expect(await shown()).toMatchObject({
      response_summary: "Built by piper",
      attempts: [
        { attempt: 1, worker: "mason", outcome: "expired" },
        { attempt: 2, worker: "piper", outcome: "done" },
      ],
    });
  });
});

/** `parley mcp` of a client elsewhere, which has taken the task and renews its lease for as long as it lives. */
async function workerProcess({ ground, hub }: Restarts, { token }: Caller, id: string): Promise<ChildProcess> {
  const child = ground.start(["mcp", "--facet", "tasks"], { PARLEY_URL: hub.url, PARLEY_TOKEN: token });
  const told: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => told.push(text));
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "foreign", version: "1.0.0" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  await until(() => told.join("").includes('"id":1'));
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "get_next_task", arguments: {} } });
  await until(() => told.join("").includes(id));
  return child;
}
