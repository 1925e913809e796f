/** How `parley worker run` ends its program when it has to end itself. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Running } from "../src/cli/tasks/program.ts";
import { isAlive } from "../src/local/processes.ts";
import { CliIo } from "../src/testing/cli-io.ts";
import { killIfThere } from "../src/testing/kill.ts";
import { ended, Ground, PARLEY, until } from "../src/testing/process.ts";

/** A worker whose program has begun, says so on stderr once it may, and goes on. */
async function begun(ground: Ground) {
  const task = await ground.json<{ id: string }>(["task", "add", "--max-attempts", "1", "interrupted"]);
  const [pid, go] = [join(ground.folder, "pid"), join(ground.folder, "go")];
  const program = `echo $$ > ${pid}.new; mv ${pid}.new ${pid}
    until [ -e ${go} ]; do sleep 0.02; done; echo aloud >&2; sleep 600`;
  const worker = ground.start(["worker", "run", "--", "sh", "-c", program]);
  const number = Number(await until(() => existsSync(pid) && readFileSync(pid, "utf8").trim()));
  return { task, worker, program: number, go };
}

async function hosted(cleanup: AsyncDisposableStack, config: { task_lease_seconds?: number } = {}): Promise<Ground> {
  const ground = cleanup.use(new Ground({ in_process: true }));
  await ground.host(config);
  return ground;
}

test("worker run gives its task back when its terminal is closed, and leaves no program behind", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup);
  const { task, worker, program } = await begun(ground);
  cleanup.defer(() => killIfThere(program));
  worker.kill("SIGHUP");
  expect(await ended(worker)).toMatchObject({ code: 0, signal: null });
  expect(isAlive(program)).toBe(false);
  expect(await ground.json(["task", "get", task.id])).toMatchObject({
    status: "pending",
    attempts: [{ outcome: "released" }],
  });
});

test("worker run ends with whoever read what its program says, and the program with it", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup);
  const { worker, program, go } = await begun(ground);
  cleanup.defer(() => killIfThere(program));
  expect(isAlive(program)).toBe(true);
  worker.stderr?.destroy();
  writeFileSync(go, "");
  await until(() => !isAlive(program));
});

test("worker run keeps its task for as long as its program runs, however far its clock is from the hub's", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = cleanup.use(new Ground({ in_process: true }));
  const HOUR_MS = 3_600_000;
  const clock = { now: () => Date.now() + HOUR_MS, passed: () => performance.now() };
  const { sweep } = await ground.host({ task_lease_seconds: 1 }, clock);
  const { task, worker, program, go } = await begun(ground);
  cleanup.defer(() => killIfThere(program));
  const renewals = new Set<string>();
  await until(async () => {
    await sweep();
    const { lease_expires_at } = await ground.json<{ lease_expires_at: string | null }>(["task", "get", task.id]);
    renewals.add(lease_expires_at ?? "none");
    return renewals.size >= 4 || renewals.has("none");
  });
  expect(renewals).not.toContain("none");
  expect(await ground.json(["task", "get", task.id])).toMatchObject({ status: "processing", attempt: 1 });
  worker.kill("SIGTERM");
  await ended(worker);
  writeFileSync(go, "");
});

test("worker run that was killed and is started again waits until what it had left is its own, and works on", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup, { task_lease_seconds: 5 });
  const { task, worker, program } = await begun(ground);
  worker.kill("SIGKILL");
  await ended(worker);
  killIfThere(program);
  // As a supervisor starts it: no pipe keeps it alive.
  const again = spawn(PARLEY, ["worker", "run", "--most", "1", "--", "echo", "mine"], {
    env: ground.env(),
    stdio: "ignore",
  });
  expect(await once(again, "exit")).toEqual([0, null]);
  expect(await ground.json(["task", "get", task.id])).toMatchObject({ status: "done", response_summary: "mine" });
});

test("worker run ends first what the program of a worker of its name still does that was killed, and nobody else's", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup, { task_lease_seconds: 5 });
  const numbers = join(ground.folder, "numbers");
  const script = `echo $$ >> ${numbers}; setsid sh -c 'echo $$ >> ${numbers}; exec sleep 600' & exec sleep 600`;
  const begun = async (name: string, count: number) => {
    await ground.json(["task", "add", `for ${name}`, "--needs", name]);
    const worker = ground.start(["worker", "run", "--name", name, "--offers", name, "--", "sh", "-c", script]);
    const pids = await until(() => {
      const known = existsSync(numbers) ? readFileSync(numbers, "utf8").trim().split("\n").map(Number) : [];
      return known.length === count ? known : undefined;
    });
    return { worker, pids: pids.slice(-2) };
  };
  const [mason, piper] = [await begun("mason", 2), await begun("piper", 4)];
  for (const pid of [...mason.pids, ...piper.pids]) cleanup.defer(() => killIfThere(pid));
  mason.worker.kill("SIGKILL");
  await ended(mason.worker);
  expect(mason.pids.map((pid) => isAlive(pid))).toEqual([true, true]);
  const look = `kill -0 ${mason.pids.join(" ")} 2>/dev/null && echo both || echo mine`;
  const again = ["worker", "run", "--name", "mason", "--offers", "mason", "--most", "1", "--", "sh", "-c", look];
  expect((await ground.parley(again)).code).toBe(0);
  expect(mason.pids.map((pid) => isAlive(pid))).toEqual([false, false]);
  expect(piper.pids.map((pid) => isAlive(pid))).toEqual([true, true]);
  const { tasks } = await ground.json<{ tasks: object[] }>(["task", "list", "--status", "done"]);
  expect(tasks).toMatchObject([{ content: "for mason", response_summary: "mine" }]);
});

test("worker run takes over what a worker of its name left that was killed, and nothing of one that lives", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup, { task_lease_seconds: 10 });
  const { token } = await ground.json<{ token: string }>(["token", "create", "--role", "worker", "--name", "mason"]);
  const task = await ground.json<{ id: string }>(["task", "add", "--max-attempts", "1", "one"]);
  const as = { PARLEY_TOKEN: token };
  const said = (args: string[]) => ground.parley(args, { env: as });
  await said(["task", "next"]);
  let over = false;
  const second = said(["worker", "run", "--until-idle", "0", "--", "echo", "stolen"]).finally(() => {
    over = true;
  });
  // Somewhere else it goes on.
  await until(async () => {
    await said(["call", "task_heartbeat", JSON.stringify({ task_id: task.id })]);
    return over;
  });
  expect(await second).toMatchObject({ code: 5, stderr: expect.stringContaining("mason works on task") });
  expect(await ground.json(["task", "get", task.id])).toMatchObject({ status: "processing", attempt: 1 });
  expect((await said(["worker", "run", "--until-idle", "0", "--", "echo", "mine"])).code).toBe(0);
  expect(await ground.json(["task", "get", task.id])).toMatchObject({
    ...{ status: "done", response_summary: "mine" },
    attempts: [{ outcome: "released" }, { outcome: "done" }],
  });
});

test("worker run tells whatever its program prints, also what no database holds and what ends in the middle of a character", async () => {
  await using cleanup = new AsyncDisposableStack();
  const ground = await hosted(cleanup);
  const told = async (script: string) => {
    const { id } = await ground.json<{ id: string }>(["task", "add", "--max-attempts", "1", "say it"]);
    const program = [process.execPath, "-e", script];
    const { code } = await ground.parley(["worker", "run", "--until-idle", "0", "--most", "1", "--", ...program]);
    const task = await ground.json<{ status: string; response_summary: string; error: string }>(["task", "get", id]);
    return { code, ...task };
  };
  expect(await told('console.log("a\\0b")')).toMatchObject({ code: 0, status: "done", response_summary: "a\ufffdb" });
  expect(await told('console.error("a\\0b"); process.exitCode = 3')).toMatchObject({
    ...{ code: 0, status: "dead", error: "It ended with exit code 3: a\ufffdb" },
  });
  const half = await told('console.error("😀".repeat(3000) + "x"); process.exitCode = 3');
  expect([half.code, half.status, half.error.endsWith("😀😀x"), half.error.isWellFormed()]).toEqual([
    0,
    "dead",
    true,
    true,
  ]);
  const long = await told('console.error("first\\n" + "x".repeat(3990)); process.exitCode = 3');
  expect([long.code, long.status]).toEqual([0, "dead"]);
  expect(long.error).toMatch(/^It ended with exit code 3: x+…\nfirst\nx{3990}$/);
});

test("what a program says while nobody takes it makes the program wait, and nothing pile up", async () => {
  const release = Promise.withResolvers<void>();
  let [taken, text] = [0, ""];
  class Slow extends CliIo {
    override async write(_: 1 | 2, piece: string): Promise<void> {
      taken += 1;
      if (taken === 1) await release.promise;
      text += piece;
    }
  }
  // More than a pipe and a stream hold together, of characters of several bytes.
  const say = 'process.stderr.write("ü".repeat(2_000_000), () => process.stdout.write("said"))';
  const program = { path: process.execPath, args: ["-e", say] };
  const running = new Running(program, { io: new Slow({}), env: process.env, input: "", mark: "test" });
  await until(() => taken > 0);
  expect(
    await Promise.race([running.ended.then(() => "over"), new Promise((done) => setTimeout(done, 300, "waits"))]),
  ).toBe("waits");
  expect(taken).toBe(1);
  release.resolve();
  const { code, stdout } = await running.ended;
  expect([code, stdout, text.length, text.includes("\ufffd")]).toEqual([0, "said", 2_000_000, false]);
});
