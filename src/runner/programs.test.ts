/** Which programs a node has, and what waits for one that it has not. */
import { expect, test } from "vitest";
import { eachDatabase } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, planRun, runOver, showRun, unruly } from "../testing/runs.ts";

eachDatabase((open) => {
  test("whatever waits for a program that is not there, what has one is started", async () => {
    const hub = await open();
    define(hub, { triggers: { nightly: unruly() } });
    const without: string[] = [];
    // More than a node looks at in one go, each in a lane of its own.
    for (let n = 0; n < 60; n += 1) without.push(await planRun(hub, { name: "gone", parallel: true }));
    const id = await planRun(hub);
    expect((await runOver(hub, id)).state).toBe("done");
    expect(await showRun(hub, without[0] ?? "")).toMatchObject({ state: "queued", waits_for: "program" });
  });

  test("what a trigger fires after its program was written into runner.json is a run, whenever the node looks by itself", async () => {
    // Which it would do in a quarter of an hour.
    const hub = await open({ config: { node_lease_seconds: 3600 } });
    await hub.call(hub.admin, "trigger_create", { name: "nightly", type: "manual" });
    const becomes = async () => (await hub.call(hub.admin, "trigger_test", { name: "nightly" })).body.becomes;
    expect(await becomes()).toBe("task");
    define(hub, { trigger: unruly() });
    await until(async () => (await becomes()) === "run");
    const { body } = await hub.call(hub.admin, "trigger_run", { name: "nightly" });
    expect((await runOver(hub, body.run_id)).state).toBe("done");
  });
});
