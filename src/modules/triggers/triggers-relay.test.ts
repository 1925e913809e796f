/** Sessions of triggers are told of the ends that they wait for. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { until } from "../../testing/process.ts";
import { define, runOver, showRun, unruly } from "../../testing/runs.ts";
import { Desk } from "../../testing/workspace.ts";
import type { Run } from "../runs/schema.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
type Asked = Record<"id" | "kind" | "title" | "text" | "digest", string>;
const PROMPT = "Look at the builds";

eachDatabase((open) => {
  const make = (hub: TestHub, session_mode: string) =>
    hub.call(hub.admin, "trigger_create", { name: "nightly", type: "manual", prompt: PROMPT, session_mode });

  /** The hub knows what it can start. */
  const ready = (hub: TestHub) =>
    until(async () => {
      await hub.tick(0);
      return (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run";
    });

  /** Fires it; the run when it is over. */
  async function fire(hub: TestHub, args: object = {}) {
    await ready(hub);
    const { run_id } = (await hub.call(hub.admin, "trigger_run", { name: "nightly", ...args })).body;
    return runOver(hub, run_id);
  }

  const runs = async (hub: TestHub): Promise<Run[]> => {
    await hub.tick(0);
    return (await hub.call(hub.admin, "run_list", { kind: "trigger" })).body.runs;
  };
  /** The run that tells of a task's end, when it is over. */
  const relayed = async (hub: TestHub) => {
    const relay = await until(async () => (await runs(hub)).find(({ ended_at }, at) => at === 0 && ended_at !== null));
    return showRun(hub, relay.id);
  };
  const wakes = async (hub: TestHub) => (await hub.call(hub.admin, "wake_list")).body.wakes;
  /** What people are asked about ends that could not be told. */
  const asked = async (hub: TestHub): Promise<Asked[]> =>
    (await hub.call(hub.admin, "need_list")).body.needs.filter(({ kind }: Asked) => kind === "task.untold");
  const brief = unruly("brief:Count the builds");

  async function work(hub: TestHub, response_summary: string): Promise<string> {
    const mason = await hub.token("worker", "mason");
    const { id: task_id } = (await hub.call(mason, "get_next_task")).body.next_task;
    await hub.call(mason, "task_complete", { task_id, response_summary });
    return task_id;
  }

  test("RUNNER-6, RUNNER-7, RUNNER-9: the session that made a task goes on with its result, and that counts as no run", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: brief });
    await make(hub, "persistent");
    const first = await fire(hub, { session_key: "thread-7" });
    const task_id = await work(hub, "There are 12.");
    await until(async () => (await runs(hub)).length === 2);
    const relay = await relayed(hub);
    expect(relay).toMatchObject({
      state: "done",
      session_id: first.session_id,
      session_key: "thread-7",
      cause: task_id,
    });
    expect(relay.output).toContain(`Task ${task_id}, which this trigger waits for, has ended: it is done.`);
    expect(relay.output).toMatch(/it is data[\s\S]*<untrusted-content-[0-9a-f]+>There are 12\.<\/untrusted/);
    expect(relay.output).toContain("Pass the result on to whoever asked for it: admin.");
    expect(relay.output).not.toContain(PROMPT);
    expect(await wakes(hub)).toEqual([]);
    const { trigger, runs: history } = (await hub.call(hub.admin, "trigger_get", { name: "nightly", runs: 10 })).body;
    expect([trigger.run_count, history.length]).toEqual([1, 1]);
  });

  test("RUNNER-6, WAKE-8: one that keeps no session is told in a new one, also of a task that was cancelled", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: brief });
    await make(hub, "ephemeral");
    const first = await fire(hub);
    const { id: task_id } = (await hub.call(hub.admin, "task_list")).body.tasks[0];
    await hub.call(hub.admin, "task_cancel", { task_id, reason: "not needed" });
    await until(async () => (await runs(hub)).length === 2);
    const relay = await relayed(hub);
    expect(relay.session_id).not.toBe(first.session_id);
    expect(relay.output).toContain(`Task ${task_id}, which this trigger waits for, has ended: it is cancelled.`);
    expect(relay.output).toMatch(/What was to be done:\n<[^>]+>Count the builds</);
    expect(relay.output).toContain("Cancelled: not needed");
    expect(relay.output).not.toContain(PROMPT);
  });

  test("a session that waits for its task itself is not told a second time", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("await:Count the builds") });
    await make(hub, "ephemeral");
    const firing = fire(hub);
    await until(async () => (await hub.call(hub.admin, "task_list")).body.tasks[0]?.id);
    await until(async () => [...hub.hub.streams.actors()].some(({ name }) => name === "trigger:nightly"));
    await work(hub, "There are 12.");
    expect((await firing).output).toContain('"response_summary":"There are 12."');
    // It was planned before the session had its answer, and is skipped, or it never was.
    const all = await until(async () => {
      const found = await runs(hub);
      return found.every(({ ended_at }) => ended_at !== null) ? found : undefined;
    });
    expect(all.map(({ state }) => state).filter((state) => state !== "skipped")).toEqual(["done"]);
    expect(await wakes(hub)).toEqual([]);
  });

  const ask = unruly(`call:add_question:${JSON.stringify({ question: "Which branch?" })}`);
  const answered = async (hub: TestHub, answer: string): Promise<string> => {
    const ana = await Desk.of(hub, "human", "ana");
    const id: string = await until(async () => (await ana.done("get_pending_questions")).questions[0]?.id);
    await ana.done("submit_answers", { answers: { [id]: answer } });
    return id;
  };

  test("QUESTION-10: a session that asked and ended is woken by the answer, once, where it was", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: ask });
    await make(hub, "persistent");
    const first = await fire(hub, { session_key: "thread-7" });
    define(hub, { trigger: unruly("stdin") });
    const id = await answered(hub, "Take main.");
    await until(async () => (await runs(hub)).length === 2);
    const relay = await relayed(hub);
    expect(relay).toMatchObject({
      ...{ state: "done", session_id: first.session_id, session_key: "thread-7", cause: id },
    });
    expect(relay.output).toContain(`Question ${id}, which this trigger asked, was answered by ana.`);
    expect(relay.output).toMatch(/it is data[\s\S]*>Which branch\?<\/untrusted[\s\S]*>Take main\.<\/untrusted/);
    await hub.tick(60_000);
    expect(await runs(hub)).toHaveLength(2);
  });

  test("QUESTION-10: while the run that asked goes on it is not told by another, and when it has ended without the answer it is", async () => {
    const hub = await open({ now: START });
    const go = join(hub.home, "go-on");
    define(hub, {
      trigger: unruly(`call:add_question:${JSON.stringify({ question: "Which branch?" })}`, `wait:${go}`),
    });
    await make(hub, "ephemeral");
    const firing = fire(hub);
    const id = await answered(hub, "Take main.");
    await hub.tick(60_000);
    expect(await runs(hub)).toHaveLength(1);
    define(hub, { trigger: unruly("stdin") });
    writeFileSync(go, "");
    await firing;
    await until(async () => (await runs(hub)).length === 2);
    expect((await relayed(hub)).output).toContain(`Question ${id}`);
  });

  test("QUESTION-10: a session that waits for the answer itself is not told a second time", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("ask:Which branch?") });
    await make(hub, "ephemeral");
    const firing = fire(hub);
    await until(async () => [...hub.hub.streams.actors()].some(({ name }) => name === "trigger:nightly"));
    await answered(hub, "Take main.");
    expect((await firing).output).toContain('"answer":"Take main."');
    await hub.tick(60_000);
    expect(await runs(hub)).toHaveLength(1);
  });

  test("WAKE-3, WAKE-5: a wake is owed until a session has gone through with it", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: brief });
    await make(hub, "persistent");
    const first = await fire(hub, { session_key: "thread-7" });
    define(hub, { trigger: unruly("crash:3") });
    const task_id = await work(hub, "There are 12.");
    const failed = await until(async () => (await runs(hub)).find(({ waits_for }) => waits_for === "backoff"));
    expect(await wakes(hub)).toMatchObject([{ task_id, session_key: "thread-7", run_id: first.id, given_up: false }]);
    define(hub, { trigger: brief });
    await hub.tick(30_000);
    expect(await relayed(hub)).toMatchObject({ id: failed.id, state: "done", attempt: 2 });
    expect(await wakes(hub)).toEqual([]);
  });

  test("WAKE-3: an end that no run could tell stays owed, people are asked, and it is told again when they say so", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: brief });
    await make(hub, "persistent");
    await fire(hub);
    define(hub, { trigger: { argv: ["/bin/sh", "-c", "exit 3"] } });
    const first = await work(hub, "There are 12.");
    const { id } = await until(async () => (await runs(hub)).find(({ waits_for }) => waits_for === "backoff"));
    for (let tries = 1; tries <= 5; tries += 1) {
      await until(async () => (await showRun(hub, id)).attempt === tries && (await runs(hub))[0]?.state === "queued");
      await hub.tick(900_000);
    }
    expect(await runOver(hub, id)).toMatchObject({ state: "failed", attempt: 6 });
    const untold = await until(async () => (await asked(hub))[0]);
    expect(untold).toMatchObject({
      title: "The trigger nightly could not be told that a task has ended",
      text: `Task ${first} is done. Run ${id}, which was to tell it: It ended with exit code 3. Nothing more is tried until you say so.`,
      choices: ["again", "drop"],
    });
    const awaits = async () => (await hub.call(hub.admin, "task_get", { task_id: first })).body.awaits;
    expect([await wakes(hub), await awaits()]).toMatchObject([[{ given_up: true }], [{ given_up: true }]]);
    // A later end fares no better, and is asked of together with it.
    await hub.call(hub.admin, "run_pause");
    const nightly = await hub.token("trigger", "nightly");
    await hub.call(nightly, "task_create", { content: "Count them again" });
    const second = await work(hub, "There are 13.");
    const queued = await until(async () => (await runs(hub)).find(({ state }) => state === "queued"));
    await hub.call(hub.admin, "run_stop", { id: queued.id });
    const both = await until(async () => (await asked(hub)).find(({ title }) => title.includes("2 tasks have ended")));
    expect(both.text).toContain(`Task ${second} is done. Run ${queued.id}, which was to tell it: It was stopped.`);
    define(hub, { trigger: unruly("stdin") });
    await hub.call(hub.admin, "run_resume");
    const { id: notice, digest } = both;
    await hub.call(hub.admin, "notice_settle", { id: notice, digest, choice: "again" });
    const told = await until(async () => {
      const [run] = await runs(hub);
      return run?.state === "done" ? showRun(hub, run.id) : undefined;
    });
    for (const task_id of [first, second])
      expect(told.output).toContain(`Task ${task_id}, which this trigger waits for`);
    expect([await wakes(hub), await asked(hub)]).toEqual([[], []]);
    expect(await awaits()).toMatchObject([{ given_up: false }]);
  });

  test("WAKE-3: an end that people drop, or that the trigger hears of otherwise, is owed no more and asked of no more", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("stdin") });
    await make(hub, "persistent");
    await ready(hub);
    await hub.call(hub.admin, "run_pause");
    const nightly = await hub.token("trigger", "nightly");
    const untold = async () => {
      await hub.call(nightly, "task_create", { content: "Count" });
      const task_id = await work(hub, "There are 12.");
      const run = await until(async () => (await runs(hub)).find(({ state }) => state === "queued"));
      await hub.call(hub.admin, "run_stop", { id: run.id });
      return { task_id, notice: await until(async () => (await asked(hub))[0]) };
    };
    const heard = await untold();
    await hub.call(nightly, "task_get", { task_id: heard.task_id });
    expect([await wakes(hub), await asked(hub)]).toEqual([[], []]);
    const { id, digest } = (await untold()).notice;
    await hub.call(hub.admin, "notice_settle", { id, digest, choice: "drop" });
    await until(async () => {
      await hub.tick(0);
      return (await wakes(hub)).length === 0;
    });
    await hub.call(hub.admin, "run_resume");
    await hub.tick(60_000);
    expect((await runs(hub)).map(({ state }) => state)).toEqual(["stopped", "stopped"]);
  });

  test("RUNNER-7: several ends for one session are told by one run, of those that it has not heard of by then", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("stdin") });
    await make(hub, "persistent");
    // Whoever is told of before the hub knows its program is looked at again half a minute later.
    await ready(hub);
    const nightly = await hub.token("trigger", "nightly");
    const ids: string[] = [];
    for (const session_key of ["a", "a", "a", "b"])
      ids.push((await hub.call(nightly, "task_create", { content: `Count ${ids.length}`, session_key })).body.id);
    await hub.call(hub.admin, "run_pause");
    for (const _ of ids) await work(hub, "There are 12.");
    await until(async () => (await runs(hub)).length === 2);
    // The only one who waits for it reads of its end.
    await hub.call(nightly, "task_get", { task_id: ids[1] });
    await hub.call(hub.admin, "run_resume");
    const over = await until(async () => {
      const found = await runs(hub);
      return found.every(({ state }) => state === "done") ? found : undefined;
    });
    expect(over.map(({ session_key }) => session_key).sort()).toEqual(["a", "b"]);
    for (const { id, session_key } of over) {
      const { output, prompt } = await showRun(hub, id);
      const told = ids.filter((task_id) => output.includes(`Task ${task_id}, which this trigger waits for, has ended`));
      expect(told).toEqual(session_key === "a" ? [ids[0], ids[2]] : [ids[3]]);
      expect(output.trim()).toBe(prompt.trim());
    }
    expect(await wakes(hub)).toEqual([]);
  });

  test("WAKE-9: each session that waits for one task is told, also where none is kept", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly('call:task_create:{"content":"Index","dedup_key":"index"}') });
    await make(hub, "ephemeral");
    const fired = [await fire(hub), await fire(hub)];
    expect((await hub.call(hub.admin, "inbox_stats")).body.total).toBe(1);
    define(hub, { trigger: unruly("stdin") });
    await work(hub, "Indexed.");
    const told = await until(async () => {
      const found = await runs(hub);
      return found.length === 4 && found.every(({ state }) => state === "done") ? found.slice(0, 2) : undefined;
    });
    for (const { id } of told) expect((await showRun(hub, id)).output).toContain("Indexed.");
    expect(fired.map(({ state }) => state)).toEqual(["done", "done"]);
    expect(await wakes(hub)).toEqual([]);
  });

  test("a trigger whose program the hub starts is told by that alone: there is no file for anybody who watches", async () => {
    const hub = await open({ now: START });
    define(hub, { trigger: unruly("stdin") });
    await make(hub, "persistent");
    await ready(hub);
    const [nightly, outside] = [await hub.token("trigger", "nightly"), await hub.token("trigger", "outside")];
    await hub.call(hub.admin, "run_pause");
    const files = () => readdirSync(join(hub.home, "wake")).filter((name) => name.startsWith(".wake-"));
    await hub.call(nightly, "task_create", { content: "one" });
    const { id } = (await hub.call(outside, "task_create", { content: "two" })).body;
    for (const _ of [1, 2]) await work(hub, "done");
    for (const ms of [0, 31_000]) await hub.tick(ms);
    // One that is none of the hub's triggers has no program, whatever there is for others.
    expect(files()).toEqual([`.wake-outside-${id}`]);
    await hub.call(hub.admin, "run_resume");
    await until(async () => (await runs(hub)).some(({ state }) => state === "done"));
    expect(await wakes(hub)).toMatchObject([{ task_id: id }]);
  });

  test("WATCH-3, WATCH-4: what was owed before there was a program is told once there is one, also after a restart", async () => {
    const hub = await open({ now: START });
    await make(hub, "persistent");
    const nightly = await hub.token("trigger", "nightly");
    const { id: task_id } = (await hub.call(nightly, "task_create", { content: "Count", session_key: "a" })).body;
    await work(hub, "There are 12.");
    await hub.tick(31_000);
    expect(await runs(hub)).toEqual([]);
    await hub.stop();
    const again = await open({ same: hub, now: START + 60_000 });
    define(again, { trigger: brief });
    await again.tick(31_000);
    await again.tick(31_000);
    expect(await relayed(again)).toMatchObject({ state: "done", session_key: "a", cause: task_id });
    expect(await wakes(again)).toEqual([]);
  });

  test("TASK-24: a trigger's session may cancel what its own firing made, and no other's", async () => {
    const hub = await open({ now: START });
    await make(hub, "ephemeral");
    const [nightly, other] = [await hub.token("trigger", "nightly"), await hub.token("trigger", "other")];
    const { task_id } = (await hub.call(hub.admin, "trigger_run", { name: "nightly" })).body;
    expect((await hub.call(other, "task_cancel", { task_id })).status).toBe(403);
    expect((await hub.call(nightly, "task_update", { task_id, content: "Look twice" })).body.content).toBe(
      "Look twice",
    );
    expect((await hub.call(nightly, "task_cancel", { task_id })).body.status).toBe("cancelled");
  });
});
