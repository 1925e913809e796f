/** A hub is killed in the middle of a run: the run is done all the same, nothing of the first attempt is left, and it is recorded once. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../src/local/processes.ts";
import { callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { killIfThere } from "../src/testing/kill.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { define, unruly } from "../src/testing/runs.ts";
import { writtenLines } from "../src/testing/written.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-runs-"));
});
afterEach(() => {
  for (const pid of pidsIn("began")) killIfThere(pid);
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, name);
const pidsIn = (name: string): number[] => writtenLines(file(name)).map(Number);

eachDatabaseOfHubs((database) => {
  const begin = async (restarts: Restarts, env: Record<string, string>): Promise<void> => {
    await restarts.start();
    const steps = [`touch:${file("began")}`, "child:setsid", `wait:${file("go")}`, "work"];
    define({ home: restarts.ground.home }, { worker: unruly(...steps) });
    await restarts.hub.kill("SIGTERM");
    await restarts.start(env);
    await callTool(restarts.admin, "task_create", { content: "Build it" });
  };
  const list = async (restarts: Restarts) => (await callUntilKnown(restarts.admin, "run_list", {})).body.runs;
  const through = async (restarts: Restarts) => {
    const [run] = await until(async () => {
      const runs = await list(restarts);
      return ["done", "skipped"].includes(runs[0]?.state) ? runs : undefined;
    });
    return (await callUntilKnown(restarts.admin, "run_show", { id: run.id })).body;
  };

  test("killed before it knew the number of the process it had started, the next hub ends that and begins anew", async () => {
    await using restarts = await Restarts.on(database);
    await begin(restarts, { PARLEY_FAILPOINT: "run.after_spawn:kill" });
    expect(await restarts.ended()).toEqual({ code: null, signal: "SIGKILL" });
    await until(() => pidsIn("began").length === 1);
    const [left = 0] = pidsIn("began");
    await restarts.start();
    await until(() => pidsIn("began").length === 2);
    expect(isAlive(left)).toBe(false);
    writeFileSync(file("go"), "");
    const run = await through(restarts);
    expect(run.attempts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(["lost", "done"]);
    expect(await list(restarts)).toHaveLength(1);
  });

  test("killed before how it ended was recorded, what it did counts, and it is recorded once", async () => {
    await using restarts = await Restarts.on(database);
    writeFileSync(file("go"), "");
    await begin(restarts, { PARLEY_FAILPOINT: "run.before_record:kill" });
    expect(await restarts.ended()).toEqual({ code: null, signal: "SIGKILL" });
    await restarts.start();
    const run = await through(restarts);
    // Nothing waits any more, so nothing is started a second time.
    expect(run).toMatchObject({ state: "skipped", attempts: [{ attempt: 1, outcome: "lost" }] });
    const { tasks } = (await callUntilKnown(restarts.admin, "task_list", { status: "done" })).body;
    expect(tasks).toHaveLength(1);
    expect(pidsIn("began").map((pid) => isAlive(pid))).toEqual([false]);
  });
});
