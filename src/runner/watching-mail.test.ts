/** Agents that sleep are started for their mail: none is missed, and none starts two. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Run } from "../modules/runs/schema.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { until } from "../testing/process.ts";
import { define, unruly } from "../testing/runs.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const MINUTE_MS = 60_000;

const send = async (hub: TestHub, subject: string): Promise<string> =>
  (await hub.call(hub.admin, "mail_send", { to: ["scout"], subject, body: "b" })).body.id;
const mailRuns = async (hub: TestHub): Promise<Run[]> =>
  (await hub.call(hub.admin, "run_list", { kind: "mail", limit: 100 })).body.runs;

/** Once so many have been started and all of them are over: how many there are then. */
const started = (hub: TestHub, count: number): Promise<number> =>
  until(async () => {
    await hub.tick(0);
    const runs = await mailRuns(hub);
    return runs.length >= count && runs.every(({ ended_at }) => ended_at !== null) ? runs.length : undefined;
  });

/** How many there are by the time that is over, looked at as often as a hub would. */
async function startedAfter(hub: TestHub, minutes: number): Promise<number> {
  for (let n = 0; n < minutes; n += 1) await hub.tick(MINUTE_MS);
  return (await mailRuns(hub)).length;
}

eachDatabase((open) => {
  /** A hub that starts agents with these steps, and scout's token. */
  const watching = async (...steps: string[]) => {
    const hub = await open({ now: START });
    define(hub, { mail: unruly(...steps) });
    await hub.tick(0);
    return { hub, scout: await hub.token("agent", "scout") };
  };

  test("mail that comes right after an agent was last heard of starts it once it has been silent for long enough", async () => {
    const { hub, scout } = await watching("call:whoami");
    await hub.call(scout, "mail_poll", {});
    await send(hub, "One");
    await send(hub, "Two");
    expect(await startedAfter(hub, 4)).toBe(0);
    // It was heard of again: from then on it counts.
    await hub.call(scout, "agent_heartbeat", {});
    expect(await startedAfter(hub, 4)).toBe(0);
    await hub.tick(2 * MINUTE_MS);
    expect(await started(hub, 1)).toBe(1);
    // Started once, it is not started again for what it left unread.
    expect(await startedAfter(hub, 20)).toBe(1);
  });

  test("an agent that has read its mail itself is not started for it", async () => {
    const { hub, scout } = await watching("call:whoami");
    await hub.call(scout, "mail_poll", {});
    const id = await send(hub, "One");
    await hub.tick(0);
    expect((await hub.call(scout, "mail_read", { id })).status).toBe(200);
    expect(await startedAfter(hub, 20)).toBe(0);
  });

  test("WATCH-1: mail that comes while an agent's run is under way is seen when it is over", async () => {
    const { hub } = await watching("call:whoami");
    define(hub, { mail: { ...unruly("wait:go-on"), cwd: hub.home } });
    await send(hub, "One");
    await until(async () => {
      await hub.tick(0);
      return (await mailRuns(hub)).some(({ state }) => state === "running");
    });
    await send(hub, "Two");
    await send(hub, "Three");
    await hub.tick(MINUTE_MS);
    expect(await mailRuns(hub)).toHaveLength(1);
    writeFileSync(join(hub.home, "go-on"), "");
    expect(await started(hub, 2)).toBe(2);
    expect(await startedAfter(hub, 20)).toBe(2);
  });

  test("WATCH-1: mail in the last moments of a run that was heard of is seen once that is long ago", async () => {
    const { hub } = await watching("call:whoami");
    define(hub, { mail: { ...unruly("call:mail_poll", "touch:polled", "wait:go-on"), cwd: hub.home } });
    await send(hub, "One");
    await until(async () => {
      await hub.tick(0);
      return (await mailRuns(hub)).some(({ state }) => state === "running");
    });
    await until(() => existsSync(join(hub.home, "polled")));
    await send(hub, "Two");
    await hub.tick(0);
    writeFileSync(join(hub.home, "go-on"), "");
    expect(await started(hub, 1)).toBe(1);
    await hub.tick(4 * MINUTE_MS);
    expect(await mailRuns(hub)).toHaveLength(1);
    await hub.tick(2 * MINUTE_MS);
    expect(await started(hub, 2)).toBe(2);
    expect(await startedAfter(hub, 20)).toBe(2);
  });

  test("a run that was stopped before it began is not followed by another for the same mail", async () => {
    const { hub } = await watching("call:whoami");
    await hub.call(hub.admin, "run_pause", {});
    await send(hub, "One");
    await hub.tick(0);
    const [run] = await until(async () => {
      const runs = await mailRuns(hub);
      return runs.length > 0 ? runs : undefined;
    });
    await send(hub, "Two");
    await hub.tick(0);
    expect((await hub.call(hub.admin, "run_stop", { id: run?.id })).status).toBe(200);
    await hub.call(hub.admin, "run_resume", {});
    expect(await startedAfter(hub, 20)).toBe(1);
  });

  test("mail that an agent has put off starts it when it is back", async () => {
    const { hub, scout } = await watching("call:whoami");
    await hub.call(scout, "mail_poll", {});
    const id = await send(hub, "One");
    await hub.call(scout, "mail_update", { ids: [id], action: "snooze", until: "1h" });
    expect(await startedAfter(hub, 20)).toBe(0);
    await hub.tick(60 * MINUTE_MS);
    expect(await started(hub, 1)).toBe(1);
  });
});
