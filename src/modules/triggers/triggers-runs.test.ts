/** Triggers for which the hub starts a program. */
import { expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";
import { until } from "../../testing/process.ts";
import { define, runOver, unruly } from "../../testing/runs.ts";

eachDatabase((open) => {
  /** It says once a second what it can start. */
  const openHub = () => open({ config: { node_lease_seconds: 4 } });
  const make = (hub: TestHub, args: object) =>
    hub.call(hub.admin, "trigger_create", { name: "nightly", type: "manual", prompt: "Look at {{payload}}", ...args });
  const fire = async (hub: TestHub, args: object = {}) =>
    (await hub.call(hub.admin, "trigger_run", { name: "nightly", ...args })).body;
  const history = async (hub: TestHub) => (await hub.call(hub.admin, "trigger_runs")).body.runs;

  test("RUNNER-1, RUNNER-9: where there is a program for it, firing starts that with the prompt, and it counts once", async () => {
    const hub = await openHub();
    define(hub, { trigger: unruly("stdin", "env:PARLEY_TRIGGER") });
    await make(hub, {});
    await until(async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run");
    const fired = await fire(hub, { payload: "the builds" });
    expect(fired).toMatchObject({ task_id: null, run_id: expect.stringMatching(/^\d+$/), session_key: "_default" });
    const run = await runOver(hub, fired.run_id);
    expect(run).toMatchObject({ state: "done", kind: "trigger", name: "nightly", cause: fired.id });
    expect(run.output).toMatch(/Look at <untrusted-content-[0-9a-f]+>the builds</);
    expect(await history(hub)).toMatchObject([
      { id: fired.id, state: "done", run_id: fired.run_id, ended_at: run.ended_at },
    ]);
    const { trigger } = (await hub.call(hub.admin, "trigger_get", { name: "nightly" })).body;
    expect(trigger.run_count).toBe(1);
    expect((await hub.call(hub.admin, "task_list")).body.tasks).toEqual([]);
  });

  test("CRON-10: the history says what a run cost, when it was due, started and ended, and how", async () => {
    const hub = await openHub();
    define(hub, { trigger: { ...unruly("cost:0.25"), client: "claude" } });
    await make(hub, {});
    await until(async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run");
    const { run_id } = await fire(hub);
    const { started_at, ended_at, cost_usd } = await runOver(hub, run_id);
    expect(cost_usd).toBe(0.25);
    expect(await history(hub)).toMatchObject([{ run_id, state: "done", cost_usd: 0.25, started_at, ended_at }]);
  });

  test("TRIGGER-12: a deleted trigger's sessions are forgotten, and one of its name begins afresh", async () => {
    const hub = await openHub();
    define(hub, { trigger: unruly("args") });
    await make(hub, { session_mode: "persistent" });
    await until(async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run");
    const keys = ["one", "two"];
    for (const session_key of keys) await runOver(hub, (await fire(hub, { session_key })).run_id);
    const remove = async () => (await hub.call(hub.admin, "trigger_delete", { name: "nightly" })).body;
    expect(await remove()).toMatchObject({ deleted: true, sessions: keys.length });
    await make(hub, { session_mode: "persistent" });
    expect(await remove()).toMatchObject({ deleted: true, sessions: 0 });
  });

  test("what fails is counted in the glance until it goes well, is switched off, deleted or has no program", async () => {
    const hub = await openHub();
    const failing = async () =>
      (await hub.call(hub.admin, "space_glance", { parts: ["runs"], full: ["runs"] })).body.parts.runs;
    const runWith = async (...steps: string[]) => {
      define(hub, { trigger: unruly(...steps) });
      const { run_id } = await fire(hub);
      await runOver(hub, run_id);
      return run_id;
    };
    define(hub, { trigger: unruly("crash") });
    await make(hub, {});
    await until(async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run");
    const nothing = { failing: 0, streaks: [] };
    expect(await failing()).toEqual(nothing);
    using stream = await new Raw(hub.url, hub.admin).listen(["ui://glance"]);
    await stream.first(1);
    await runWith("crash");
    const run_id = await runWith("crash");
    expect(await failing()).toEqual({
      failing: 1,
      streaks: [{ kind: "trigger", name: "nightly", failures: 2, run_id }],
    });
    const { runs } = (await hub.call(hub.admin, "space_glance", { parts: ["runs"] })).body.parts;
    expect(runs).toEqual({ failing: 1, streaks: null });
    await runWith("say:well");
    expect(await failing()).toEqual(nothing);
    // Told of when it begins and when it ends, not of each failure.
    const told = (await stream.first(3)).map(({ params }) => params?.parts).slice(1);
    expect(told).toEqual([{ runs: {} }, { runs: {} }]);

    define(hub, { trigger: unruly("crash") });
    const names = ["switched-off", "deleted", "without-a-program"];
    for (const name of names) await make(hub, { name });
    const fired = await Promise.all(names.map((name) => fire(hub, { name })));
    for (const { run_id } of fired) await runOver(hub, run_id);
    expect(await failing()).toMatchObject({ failing: 3 });
    await hub.call(hub.admin, "trigger_update", { name: "switched-off", enabled: false });
    expect(await failing()).toMatchObject({ failing: 2 });
    await hub.call(hub.admin, "trigger_delete", { name: "deleted" });
    expect(await failing()).toMatchObject({ failing: 1, streaks: [{ name: "without-a-program" }] });
    define(hub, {});
    await until(async () => (await failing()).failing === 0);
  });

  test("what led to a task is told by event_why: the firing, and what led to that", async () => {
    const hub = await openHub();
    await make(hub, {});
    const { id: asked } = (await hub.call(hub.admin, "task_create", { content: "first" })).body;
    const args = { name: "nightly" };
    const { body: fired } = await hub.call(hub.admin, "trigger_run", args, { "x-parley-cause": asked });
    const { steps } = (await hub.call(hub.admin, "event_why", { id: fired.task_id })).body;
    expect(steps).toMatchObject([
      { id: fired.task_id, kind: "task", by: "trigger:nightly" },
      { id: fired.id, kind: "trigger", by: "admin", text: "Trigger 'nightly' fired (manual)" },
      { id: asked, kind: "task", by: "admin" },
    ]);
    const scout = await hub.token("agent", "scout");
    expect((await hub.call(scout, "event_why", { id: fired.task_id })).body.steps).toHaveLength(3);
  });

  test("a program that fails is a run that failed, with what went wrong", async () => {
    const hub = await openHub();
    define(hub, { trigger: unruly("crash:3") });
    await make(hub, {});
    await until(async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes === "run");
    const fired = await fire(hub);
    await runOver(hub, fired.run_id);
    expect(await history(hub)).toMatchObject([
      { state: "failed", started_at: expect.any(String), outcome: expect.any(String) },
    ]);
  });
});
