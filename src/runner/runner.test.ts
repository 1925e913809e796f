/** From a run that is planned to how it ended, with real processes. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../local/processes.ts";
import { eachDatabase } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runIn, runOver, showRun, unruly } from "../testing/runs.ts";
import { writtenLines } from "../testing/written.ts";
import { removeOldLogs } from "./old-logs.ts";

const DAY_MS = 24 * 3600 * 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-runs-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const linesOf = (name: string): string[] => writtenLines(file(name));

eachDatabase((open) => {
  const START = Date.parse("2027-03-01T09:00:00Z");

  test("a run is started with its prompt, its token and its cause, and how it ended is recorded", async () => {
    const hub = await open();
    define(hub, { trigger: unruly("stdin", "env:PARLEY_CAUSE", "env:PARLEY_TRIGGER", "call:whoami") });
    const id = await planRun(hub, { prompt: "Look at the builds" });
    const run = await runOver(hub, id);
    expect(run).toMatchObject({ state: "done", exit_code: 0, attempt: 1, error: null, waits_for: null });
    expect(run.output).toContain(`Look at the builds\nPARLEY_CAUSE=${id}\nPARLEY_TRIGGER=nightly\n`);
    expect(run.output).toContain('"principal":"trigger:nightly"');
    expect(run.output).toContain('"roles":["trigger"]');
    expect(run.attempts).toMatchObject([{ attempt: 1, outcome: "done", pid: expect.any(Number), resumed: false }]);
    expect(run.output_bytes).toBe(Buffer.byteLength(run.output));
  });

  test("of a program that failed it is said what it printed last, without its colours and our token", async () => {
    const hub = await open();
    const failsWith = (script: string) => define(hub, { trigger: { argv: ["/bin/sh", "-c", script], cwd: folder } });
    failsWith("echo working; printf '\\033[31mno key %s\\033[0m\\n\\n' \"$PARLEY_TOKEN\" >&2; exit 7");
    const loud = await runOver(hub, await planRun(hub, { name: "loud" }));
    expect(loud.error).toMatch(/^It ended with exit code 7: no key \S*\[secret\]$/);
    failsWith("exit 7");
    expect((await runOver(hub, await planRun(hub, { name: "silent" }))).error).toBe("It ended with exit code 7.");
  });

  test("what a program prints that is no text takes nothing of the rest away, however it comes and from where it is read", async () => {
    const hub = await open();
    const bytes = Buffer.concat([
      Buffer.from("first\n"),
      Buffer.alloc(300, 0xff),
      Buffer.from([0]),
      Buffer.from("ü last\n"),
    ]);
    const script = `const bytes = Buffer.from("${bytes.toString("hex")}", "hex"), half = bytes.length - 7;
      process.stdout.write(bytes.subarray(0, half)); setTimeout(() => process.stdout.write(bytes.subarray(half)), 50)`;
    define(hub, { trigger: { argv: [process.execPath, "-e", script], cwd: folder } });
    const { id, output, output_bytes } = await runOver(hub, await planRun(hub));
    expect(output).toBe(`first\n${"\ufffd".repeat(301)}ü last\n`);
    const behind = async (after: number) => (await hub.call(hub.admin, "run_show", { id, after })).body.output;
    expect(await behind(6)).toBe(`${"\ufffd".repeat(301)}ü last\n`);
    expect([await behind(output_bytes - 5), await behind(output_bytes)]).toEqual(["last\n", ""]);
  });

  test("a run that has been over for 90 days is forgotten with what it printed, and one that waits is not", async () => {
    const hub = await open({ now: START });
    const [over, waiting] = [await planRun(hub, { name: "one" }), await planRun(hub, { name: "two" })];
    await hub.call(hub.admin, "run_stop", { id: over });
    const logs = join(hub.home, "runs", "main");
    mkdirSync(logs, { recursive: true });
    for (const [name, at] of [
      ["1.1.log", 0],
      ["2.1.log", Date.now() / 1000],
    ] as const) {
      writeFileSync(join(logs, name), "printed");
      utimesSync(join(logs, name), at, at);
    }
    await hub.tick(89 * DAY_MS);
    expect((await showRun(hub, over)).state).toBe("stopped");
    for (const days of [2, 1, 1]) await hub.tick(days * DAY_MS);
    expect((await hub.call(hub.admin, "run_show", { id: over })).status).toBe(404);
    expect((await showRun(hub, waiting)).state).toBe("queued");
    await removeOldLogs(join(hub.home, "runs"), Date.now() - 90 * DAY_MS);
    expect(readdirSync(logs)).toEqual(["2.1.log"]);
  });

  test("its token is good while it runs, and for nothing afterwards; it stands in no output", async () => {
    const hub = await open();
    const argv = [
      process.execPath,
      "-e",
      "console.log(process.env.PARLEY_TOKEN); require('fs').writeFileSync(process.argv[1], process.env.PARLEY_TOKEN + '\\n'); setInterval(() => {}, 1000)",
    ];
    define(hub, { trigger: { argv: [...argv, file("token")], cwd: folder } });
    const id = await planRun(hub);
    await until(() => linesOf("token")[0]);
    const [token] = linesOf("token");
    expect((await hub.call(token, "whoami")).body).toMatchObject({ principal: "trigger:nightly", roles: ["trigger"] });
    await hub.call(hub.admin, "run_stop", { id });
    const run = await runOver(hub, id);
    expect((await hub.call(token, "whoami")).status).toBe(401);
    expect(run).toMatchObject({ state: "stopped", stop_requested_by: "admin", output: "[secret]\n" });
  });

  test("what its client says went wrong is told without what it was given in confidence", async () => {
    const hub = await open();
    const result =
      '{ type: "result", is_error: true, result: [process.env.PARLEY_TOKEN, process.env.MY_PAT].join(" ") }';
    const argv = [process.execPath, "-e", `console.log(JSON.stringify(${result})); process.exit(1)`, "--"];
    define(hub, { trigger: { client: "claude", argv, cwd: folder, env: { MY_PAT: "given in confidence" } } });
    const id = await planRun(hub);
    const run = await runOver(hub, id);
    expect(run).toMatchObject({ state: "failed", error: "[secret] [secret]" });
    expect(JSON.stringify(run)).not.toContain("confidence");
  });

  test("RUNNER-8: a run that takes too long is killed with all it started, and has failed", async () => {
    const hub = await open();
    define(hub, { trigger: { ...unruly("deaf", "child:setsid", "child:deaf", "hang"), timeout_seconds: 3 } });
    const id = await planRun(hub);
    const { output } = await until(async () => {
      const run = await showRun(hub, id);
      return run.output.match(/child \d+/g)?.length === 2 ? run : undefined;
    });
    const children = [...output.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
    const run = await runOver(hub, id);
    expect(run).toMatchObject({ state: "failed", error: "It took longer than 3 s.", signal: "SIGKILL" });
    expect(children.map((pid) => isAlive(pid))).toEqual([false, false]);
  });

  test("RUNNER-3: of one session one runs at a time, the others in their order; other keys go on beside it", async () => {
    const hub = await open();
    const go = file("go");
    const argv = [
      process.execPath,
      "-e",
      `const fs = require("fs"); const p = fs.readFileSync(0, "utf8");
      fs.appendFileSync(${JSON.stringify(file("log"))}, "begin " + p + "\\n");
      setInterval(() => { if (fs.existsSync(${JSON.stringify(go)} + p[0])) { fs.appendFileSync(${JSON.stringify(file("log"))}, "end " + p + "\\n"); process.exit(0); } }, 10);`,
    ];
    define(hub, { trigger: { argv, cwd: folder } });
    const session = { session_mode: "persistent" as const, session_key: "a" };
    const ids = [await planRun(hub, { ...session, prompt: "1" }), await planRun(hub, { ...session, prompt: "2" })];
    const other = await planRun(hub, { ...session, session_key: "b", prompt: "3" });
    await until(() => linesOf("log").length === 2);
    expect(linesOf("log").toSorted()).toEqual(["begin 1", "begin 3"]);
    expect(await showRun(hub, ids[1] ?? "")).toMatchObject({ state: "queued", waits_for: "turn" });
    for (const n of ["3", "1", "2"]) {
      writeFileSync(`${go}${n}`, "");
      await runOver(hub, n === "3" ? other : (ids[Number(n) - 1] ?? ""));
    }
    expect(linesOf("log").filter((line) => !line.endsWith("3"))).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
  });

  test("RUNNER-1, RUNNER-2: a kept session goes on by its name and key, one that is not kept is new each time", async () => {
    const hub = await open();
    define(hub, { trigger: unruly("env:PARLEY_NEW_SESSION_ID", "env:PARLEY_RESUME_SESSION_ID") });
    const sessionOf = async (run: Parameters<typeof planRun>[1]) => {
      const { session_id, attempts, output } = await runOver(hub, await planRun(hub, run));
      expect(output).toContain(`PARLEY_${attempts[0]?.resumed ? "RESUME" : "NEW"}_SESSION_ID=${session_id}\n`);
      return [session_id, attempts[0]?.resumed];
    };
    const kept = { session_mode: "persistent" } as const;
    const [first] = await sessionOf({ ...kept, session_key: "a" });
    expect(await sessionOf({ ...kept, session_key: "a" })).toEqual([first, true]);
    const [byDefault, isNew] = await sessionOf(kept);
    expect([byDefault === first, isNew]).toEqual([false, false]);
    expect(await sessionOf({ ...kept, session_key: "_default" })).toEqual([byDefault, true]);
    expect((await sessionOf({ ...kept, session_key: "a", name: "weekly" }))[1]).toBe(false);
    const once = await sessionOf({ session_mode: "ephemeral" });
    expect(await sessionOf({ session_mode: "ephemeral" })).not.toEqual(once);
  });

  test("the sessions of a trigger go with it: one that is made again under its name begins anew", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("say:ran") });
    await hub.tick(0);
    const create = () => hub.call(hub.admin, "trigger_create", { name: "nightly", type: "manual" });
    await create();
    const kept = { session_mode: "persistent" } as const;
    const first = await runOver(hub, await planRun(hub, kept));
    await hub.call(hub.admin, "trigger_delete", { name: "nightly" });
    await hub.tick(1000);
    await create();
    const second = await runOver(hub, await planRun(hub, kept));
    expect([second.attempts[0]?.resumed, second.session_id === first.session_id]).toEqual([false, false]);
  });

  test("what is told that is too long for an argument fails at once, and says how it is handed over instead", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: { argv: ["/bin/cat", "{{prompt}}"] } });
    const prompt = "x".repeat(200_000);
    expect(await runOver(hub, await planRun(hub, { prompt }))).toMatchObject({
      ...{ state: "failed", attempt: 1 },
      error:
        "What the program /bin/cat is told is too long for an argument. Leave {{prompt}} out of argv: it is its standard input too.",
    });
    define(hub, { trigger: { argv: ["/bin/cat"] } });
    expect(await runOver(hub, await planRun(hub, { prompt }))).toMatchObject({ state: "done", output_bytes: 200_000 });
  });

  test("what cannot be started says why and is tried again, later and later; a person is told once", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: { argv: ["/nowhere/agent"] } });
    const id = await planRun(hub);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const run = await until(async () => {
        const run = await showRun(hub, id);
        const failed = run.attempts.filter(({ outcome }) => outcome === "not_started").length;
        // The run and its attempts are two reads: it may have been read before the attempt ended.
        const waits = Date.parse(run.not_before ?? "") > hub.hub.database.now();
        return failed === attempt && waits ? run : undefined;
      });
      expect(run).toMatchObject({ state: "queued", waits_for: "backoff" });
      expect(run.error).toBe("The program /nowhere/agent does not exist.");
      const wait = Date.parse(run.not_before ?? "") - hub.hub.database.now();
      waits.push(Math.round(wait / 1000));
      if (attempt === 6) define(hub, { trigger: unruly("say:well") });
      await hub.tick(wait);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900]);
    expect(await runOver(hub, id)).toMatchObject({ state: "done", error: null });
    const { notices } = (await hub.call(hub.admin, "notice_list")).body;
    expect(notices.map(({ kind, title }: { kind: string; title: string }) => [kind, title])).toEqual([
      ["runs.failing", "The program of the trigger nightly failed 3 times in a row"],
    ]);
    // People read it, who call no tools.
    expect(notices.map(({ text, ref }: { text: string; ref: string }) => [text, ref])).toEqual([
      [`Run ${id}: The program /nowhere/agent does not exist. It is tried again, more and more rarely.`, id],
    ]);
    expect((await hub.call(hub.admin, "need_list")).body.needs).toEqual([]);
  });

  test("nothing is started while the space is paused, and all of it when it is not", async () => {
    const hub = await open();
    define(hub, { trigger: unruly("say:ran") });
    const ana = await hub.token("human", "ana");
    expect((await hub.call(ana, "run_pause")).body).toMatchObject({ paused_by: "ana" });
    const id = await planRun(hub);
    expect((await hub.call(ana, "run_list")).body).toMatchObject({
      paused_by: "ana",
      runs: [{ id, state: "queued", waits_for: "pause" }],
    });
    const scout = await hub.token("agent", "scout");
    expect((await hub.call(scout, "run_resume")).body.code).toBe("FORBIDDEN");
    await hub.call(ana, "run_resume");
    expect((await runOver(hub, id)).output).toBe("ran\n");
  });

  test("TASK-36: a budget of runs that is used up has the next wait and asks a person, who may allow more", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("say:ran") });
    await hub.tick(0);
    await hub.call(hub.admin, "budget_set", { scope: "agent", name: "nightly", per_day: { runs: 1 } });
    await runOver(hub, await planRun(hub));
    const id = await planRun(hub);
    const waiting = await until(async () => {
      await hub.tick(0);
      const run = await showRun(hub, id);
      return run.waits_for === null ? undefined : run;
    });
    expect(waiting).toMatchObject({ state: "queued", waits_for: "budget", attempt: 0 });
    const { needs } = (await hub.call(hub.admin, "need_list")).body;
    expect(needs).toMatchObject([{ kind: "task.budget", title: expect.stringContaining("nightly") }]);
    await hub.settle(hub.admin, { id: needs[0].id, choice: "allow" });
    await hub.tick(30_000);
    await hub.tick(30_000);
    expect(await runOver(hub, id)).toMatchObject({ state: "done", attempt: 1 });
  });

  test("a run that has not begun can be stopped, and one that is over cannot", async () => {
    const hub = await open();
    const id = await planRun(hub);
    expect((await hub.call(hub.admin, "run_stop", { id })).body).toMatchObject({ state: "stopped" });
    expect((await hub.call(hub.admin, "run_stop", { id })).body.code).toBe("CONFLICT");
    expect((await hub.call(hub.admin, "run_stop", { id: "7" })).body.code).toBe("NOT_FOUND");
  });

  test("what has not begun says so where there is no program for it, or no room beside what runs", async () => {
    const hub = await open({ now: START });
    const waits = async (id: string) => (await showRun(hub, id)).waits_for;
    const [first, second] = [await planRun(hub, { name: "first" }), await planRun(hub, { name: "second" })];
    expect(await waits(first)).toBe("program");
    define(hub, { trigger: { argv: ["/bin/sleep", "600"] }, at_once: 1 });
    await until(async () => {
      await hub.tick(5000);
      return (await showRun(hub, first)).state === "running";
    });
    await hub.tick(6000);
    expect(await waits(second)).toBe("room");
    await hub.call(hub.admin, "run_stop", { id: first });
    await runIn(hub, second, "running");
    await hub.call(hub.admin, "run_stop", { id: second });
    expect((await runOver(hub, second)).waits_for).toBeNull();
  });

  test("runs are listed by name, kind and state, whichever of them is asked for", async () => {
    const hub = await open();
    const ids = [
      await planRun(hub),
      await planRun(hub, { name: "weekly" }),
      await planRun(hub, { kind: "mail", name: "weekly" }),
    ];
    await hub.call(hub.admin, "run_stop", { id: ids[1] });
    const listed = async (wanted: object) =>
      (await hub.call(hub.admin, "run_list", wanted)).body.runs.map(({ id }: { id: string }) => ids.indexOf(id));
    expect(await listed({})).toEqual([2, 1, 0]);
    expect(await listed({ name: "weekly" })).toEqual([2, 1]);
    expect(await listed({ kind: "trigger", name: "weekly" })).toEqual([1]);
    expect(await listed({ state: "live", name: "weekly" })).toEqual([2]);
    expect(await listed({ state: "stopped", name: "nightly" })).toEqual([]);
    expect(await listed({ state: "queued", kind: "trigger" })).toEqual([0]);
  });

  test("a runner.json that others can write, or that says something else, starts nothing", async () => {
    const hub = await open();
    define(hub, { trigger: unruly("say:ran") });
    chmodSync(join(hub.home, "runner.json"), 0o666);
    const id = await planRun(hub);
    define(hub, { trigger: { argv: "sh -c true" } });
    await hub.call(hub.admin, "run_list");
    expect((await showRun(hub, id)).state).toBe("queued");
    rmSync(join(hub.home, "runner.json"));
    define(hub, { trigger: unruly("say:ran") });
    await planRun(hub, { name: "other" });
    expect((await runOver(hub, id)).attempt).toBe(1);
  });

  test("a hub that is stopped ends what it runs, and the next one begins it anew", async () => {
    const hub = await open();
    define(hub, { trigger: unruly(`touch:${file("began")}`, `wait:${file("go")}`, "say:through") });
    const id = await planRun(hub);
    await runIn(hub, id, "running");
    await until(() => linesOf("began").length === 1);
    await hub.stop();
    expect(isAlive(Number(linesOf("began")[0]))).toBe(false);
    writeFileSync(file("go"), "");
    const next = await open({ same: hub });
    define(next, { trigger: unruly(`touch:${file("began")}`, "say:through") });
    await planRun(next, { name: "wakes" });
    const run = await runOver(next, id);
    expect(run).toMatchObject({ state: "done", attempt: 2, output: "through\n" });
    expect(run.attempts.map(({ outcome }) => outcome)).toEqual(["interrupted", "done"]);
  });
});
