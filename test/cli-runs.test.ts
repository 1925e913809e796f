/** Runs are stopped, and their starting is paused and resumed, by commands: with a real hub, real programs and what those leave behind. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../src/local/processes.ts";
import type { RunDetails } from "../src/modules/runs/index.ts";
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
  for (const pid of [...pidsIn("began"), ...pidsIn("children")]) killIfThere(pid);
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, name);
const pidsIn = (name: string): number[] => writtenLines(file(name)).map(Number);

eachDatabaseOfHubs((database) => {
  /** A hub that starts this for the trigger nightly, and its command line. */
  async function begin(...steps: string[]) {
    const restarts = await Restarts.on(database);
    const { ground } = restarts;
    mkdirSync(ground.home, { mode: 0o700 });
    define(ground, { trigger: unruly(...steps) });
    await restarts.start();
    const said = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await ground.parley([...args, "--format", "text"]);
      return code === 0 ? stdout.trimEnd() : `${code} ${stderr.trimEnd()}`;
    };
    await said("trigger", "add", "nightly", "--type", "manual", "--prompt", "Look.", "--overlap", "queue");
    const fire = () => said("trigger", "run", "nightly");
    const show = (id: string) => ground.json<RunDetails>(["runs", "show", id]);
    const ids = async () => (await said("runs", "list", "-q")).split("\n");
    const over = (id: string) =>
      until(async () => {
        const run = await show(id);
        return run.ended_at === null ? undefined : run;
      });
    return { restarts, said, fire, show, ids, over, [Symbol.asyncDispose]: () => restarts[Symbol.asyncDispose]() };
  }

  test("runs stop ends the program, though it ignores SIGTERM, with all that it left behind, and begins nothing anew", async () => {
    await using line = await begin("deaf", "child:setsid", "child:deaf", `touch:${file("began")}`, "hang");
    const { said, fire, show, ids, over } = line;
    await fire();
    const [id = ""] = await ids();
    const children = await until(async () => {
      const pids = [...(await show(id)).output.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
      return pids.length === 2 ? pids : undefined;
    });
    writeFileSync(file("children"), children.join("\n"));
    await until(() => pidsIn("began").length === 1);
    const all = [...pidsIn("began"), ...children];
    expect(all.map((pid) => isAlive(pid))).toEqual([true, true, true]);

    expect(await said("runs", "stop", id)).toBe(`Run ${id} of nightly is asked to stop.`);
    expect(await over(id)).toMatchObject({ state: "stopped", stop_requested_by: "admin", signal: "SIGKILL" });
    expect(all.map((pid) => isAlive(pid))).toEqual([false, false, false]);
    expect(await said("runs", "stop", id)).toBe(`5 parley: Run ${id} is over: it is stopped.`);
    expect(await said("runs", "stop", "1234567890123456")).toMatch(/^4 /);
    expect(await ids()).toEqual([id]);
    expect(pidsIn("began")).toHaveLength(1);
  });

  test("after pause nothing is started, also by the next hub, and what runs goes on; resume starts what has waited, but for what was stopped", async () => {
    await using line = await begin(`touch:${file("began")}`, `wait:${file("go")}`, "say:through");
    const { said, fire, show, ids, over, restarts } = line;
    await fire();
    await until(() => pidsIn("began").length === 1);
    const [running = ""] = await ids();
    expect(await said("pause")).toMatch(/^Nothing is started from now on\. Go on: \S+ resume --home \S+$/);
    expect(await said("status")).toMatch(
      /\n tasks +pending 0, processing 0, dead 0\n paused +just now\n paused by +admin\n(?: .*\n)+Next: \S+ resume --home \S+$/,
    );
    writeFileSync(file("go"), "");
    expect(await over(running)).toMatchObject({ state: "done", output: "through\n" });

    for (let n = 0; n < 3; n++) await fire();
    const [last = "", second = "", first = "", ...before] = await ids();
    expect(before).toEqual([running]);
    expect(await said("runs", "stop", second)).toBe(`Run ${second} of nightly is asked to stop.`);
    await restarts.hub.kill("SIGTERM");
    await restarts.start();
    for (const id of [first, last]) expect(await show(id)).toMatchObject({ state: "queued", waits_for: "pause" });
    expect(await said("runs", "list")).toMatch(/queued/);
    expect(pidsIn("began")).toHaveLength(1);

    expect(await said("resume")).toBe("What has waited is started now.");
    const done = { state: "done", attempt: 1, output: "through\n" };
    expect([await over(first), await over(last)]).toMatchObject([done, done]);
    expect(await show(second)).toMatchObject({ state: "stopped", attempt: 0, attempts: [] });
    expect(pidsIn("began")).toHaveLength(3);
  });

  test("the histories of triggers and of runs show what each cost", async () => {
    await using line = await begin();
    const { said, fire, ids, over, restarts } = line;
    define(restarts.ground, { trigger: { ...unruly("cost:0.25"), client: "claude" } });
    await fire();
    const [id = ""] = await ids();
    expect(await over(id)).toMatchObject({ state: "done", cost_usd: 0.25 });
    expect(await said("runs", "list")).toMatch(/ cost\n.* \$0\.25$/);
    expect(await said("trigger", "runs")).toMatch(/ cost\n.* \$0\.25$/);
  });
});
