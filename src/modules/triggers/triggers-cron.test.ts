/** Triggers that fire by time: once a slot, whoever is there to see it. */
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { arm, disarm } from "../../failpoints.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2027-03-01T09:00:30Z");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

eachDatabase((open, database) => {
  const at = (now: string) => open({ now: Date.parse(now) });
  const cron = async (hub: TestHub, schedule: string, more: object = {}, name = "nightly") => {
    const answer = await hub.call(hub.admin, "trigger_create", { name, type: "cron", schedule, ...more });
    expect([schedule, answer.status, answer.body.error]).toEqual([schedule, 200, undefined]);
    return answer.body.trigger;
  };
  const runs = async (hub: TestHub, name = "nightly") =>
    (await hub.call(hub.admin, "trigger_runs", { name, limit: 100 })).body.runs.toReversed();
  const slots = async (hub: TestHub, name = "nightly") =>
    (await runs(hub, name))
      .filter(({ state }: { state: string }) => state !== "skipped")
      .map(({ scheduled_at }: { scheduled_at: string }) => scheduled_at);
  const get = async (hub: TestHub, name = "nightly") => (await hub.call(hub.admin, "trigger_get", { name })).body;
  /** Lets time pass in steps, as it does while a hub is up. */
  const pass = async (hub: TestHub, ms: number, step = 30 * MINUTE) => {
    for (let left = ms; left > 0; left -= step) await hub.tick(Math.min(left, step));
  };
  /** The first waiting task is claimed and done. */
  const work = async (hub: TestHub, worker: string) => {
    const { next_task } = (await hub.call(worker, "get_next_task")).body;
    await hub.call(worker, "task_complete", { task_id: next_task.id, response_summary: "All fine." });
    return next_task;
  };

  test("CRON-1: what is no schedule is refused with a sentence, and names, ranges, steps, lists and macros are taken", async () => {
    const hub = await open({ now: START });
    const refused = [
      "99 99 * * *",
      "* * * * * *",
      "0 0 31 2 *",
      "2027-05-01T00:00:00",
      "2027-05-01",
      "",
      " ",
      "* * * *",
    ];
    const odd = [
      "? * * * *",
      "0 9 * * * ",
      " 0 9 * * *",
      "0\n9 * * *",
      "@reboot",
      "@often",
      "60 * * * *",
      "*/0 * * * *",
    ];
    for (const schedule of [...refused, ...odd, "a b c d e", "0 25 * * *"]) {
      const { status, body } = await hub.call(hub.admin, "trigger_create", { name: "bad", type: "cron", schedule });
      expect([schedule, status, body.error]).toEqual([
        schedule,
        400,
        expect.stringMatching(/cron schedule|needs a schedule/),
      ]);
    }
    for (const [schedule, value] of [
      ["0 0 32 * *", "day: 32"],
      ["0 0 0 * *", "day: 0"],
      ["0 0 * 13 *", "month: 13"],
      ["0 24 * * *", "hour: 24"],
      ["0 0 * * 8", "day of week: 8"],
    ]) {
      const { body } = await hub.call(hub.admin, "trigger_create", { name: "bad", type: "cron", schedule });
      expect(body.error).toContain(`: Invalid value for ${value}. It has five fields`);
    }
    expect((await hub.call(hub.admin, "trigger_list")).body.triggers).toEqual([]);
    const taken = [
      "*/5 * * * *",
      "0 9-17 * * MON-FRI",
      "0,30 8,20 1 JAN,JUL *",
      "0 0 29 2 *",
      "0 0 L * *",
      "0 0 * * 7",
    ];
    for (const [n, schedule] of [...taken, "@hourly", "@daily", "@weekly", "@monthly", "@yearly"].entries())
      expect((await cron(hub, schedule, {}, `t${n}`)).next_run).toMatch(/Z$/);
    for (const timezone of ["Mars/Olympus", "+02:00", "", "x".repeat(65)]) {
      const args = { name: "bad", type: "cron", schedule: "@daily", timezone };
      expect([timezone, (await hub.call(hub.admin, "trigger_create", args)).status]).toEqual([timezone, 400]);
    }
  });

  test("CRON-2: a change is checked as a new one is, and what is refused leaves everything as it was", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 9 * * *", { timezone: "Europe/Berlin", description: "The news." });
    const before = await get(hub);
    for (const change of [{ schedule: "99 99 * * *" }, { timezone: "Mars/Olympus" }, { schedule: "0 0 30 2 *" }])
      expect(
        (await hub.call(hub.admin, "trigger_update", { name: "nightly", description: "x", ...change })).status,
      ).toBe(400);
    expect(await get(hub)).toEqual(before);
  });

  test("CRON-3: on the nights of the clock change a fixed time fires exactly once, by its zone", async () => {
    const spring = await at("2027-03-27T12:00:00Z");
    await cron(spring, "30 2 * * *", { timezone: "Europe/Berlin", overlap: "allow" });
    await pass(spring, 2 * DAY);
    expect(await slots(spring)).toEqual(["2027-03-28T01:00:00.000Z", "2027-03-29T00:30:00.000Z"]);
    const autumn = await at("2027-10-30T12:00:00Z");
    await cron(autumn, "30 2 * * *", { timezone: "Europe/Berlin", overlap: "allow" });
    await pass(autumn, 2 * DAY);
    expect(await slots(autumn)).toEqual(["2027-10-31T00:30:00.000Z", "2027-11-01T01:30:00.000Z"]);
  });

  test("CRON-3: a step or a list follows the clock: both repeated hours, not the missing one", async () => {
    const autumn = await at("2027-10-30T22:10:00Z");
    await cron(autumn, "*/30 2 * * *", { timezone: "Europe/Berlin", overlap: "allow" });
    await cron(autumn, "0 1,2 * * *", { timezone: "Europe/Berlin", overlap: "allow" }, "list");
    await pass(autumn, 6 * HOUR, 10 * MINUTE);
    const hours = (minutes: readonly string[]) => minutes.map((minute) => `2027-10-31T${minute}:00.000Z`);
    expect(await slots(autumn)).toEqual(hours(["00:00", "00:30", "01:00", "01:30"]));
    expect(await slots(autumn, "list")).toEqual(["2027-10-30T23:00:00.000Z", ...hours(["00:00", "01:00"])]);
    const spring = await at("2027-03-27T23:10:00Z");
    await cron(spring, "*/30 2 * * *", { timezone: "Europe/Berlin", overlap: "allow" });
    await pass(spring, 6 * HOUR, 10 * MINUTE);
    expect(await slots(spring)).toEqual([]);
    expect((await get(spring)).next_runs[0]).toBe("2027-03-29T00:00:00.000Z");
  });

  test("CRON-4: of what was missed nothing, the last or the newest few are made up for, and the rest is recorded", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 * * * *", { missed: "skip", overlap: "allow" }, "skips");
    await cron(hub, "0 * * * *", { overlap: "allow" }, "once");
    const all = { missed: "all", missed_max: 3, missed_window_seconds: 7200, overlap: "allow" };
    await cron(hub, "0 * * * *", { ...all, missed_window_seconds: 604_800 }, "three");
    await cron(hub, "0 * * * *", all, "window");
    await hub.stop();
    const later = await open({ same: hub });
    await later.tick(5 * HOUR + 20 * MINUTE);
    await pass(later, 20 * SECOND, SECOND);
    const hours = (...list: number[]) => list.map((hour) => `2027-03-01T${hour}:00:00.000Z`);
    expect(await slots(later, "skips")).toEqual([]);
    expect(await slots(later, "once")).toEqual(hours(14));
    expect(await slots(later, "three")).toEqual(hours(12, 13, 14));
    expect(await slots(later, "window")).toEqual(hours(13, 14));
    const [skipped] = await runs(later, "skips");
    expect(skipped).toMatchObject({ state: "skipped", ended_at: expect.stringMatching(/Z$/) });
    expect(skipped.reason).toBe("missed: 5 slots were missed, 2027-03-01T10:00:00.000Z to 2027-03-01T14:00:00.000Z");
    expect((await runs(later, "once"))[0].reason).toMatch(/^missed: 4 slots/);
    await later.tick(38 * MINUTE);
    await pass(later, 2 * MINUTE, 30 * SECOND);
    expect(await slots(later, "skips")).toEqual(hours(15));
  });

  test("CRON-4: one that is a minute late at most was not missed, and is the one that is made up for", async () => {
    const hub = await open({ now: START });
    await cron(hub, "* * * * *", { missed: "skip", overlap: "allow" }, "skips");
    await cron(hub, "* * * * *", { overlap: "allow" });
    await hub.tick(10 * MINUTE);
    for (const name of ["skips", "nightly"]) expect(await slots(hub, name)).toEqual(["2027-03-01T09:10:00.000Z"]);
  });

  test("CRON-5: what is caught up with comes one after the other, and never more than is bounded", async () => {
    const hub = await open({ now: START });
    const names = Array.from({ length: 5 }, (_, n) => `t${n}`);
    for (const name of names) await cron(hub, "0 * * * *", { overlap: "allow" }, name);
    await cron(hub, "0 * * * *", { missed: "all", missed_max: 12, missed_window_seconds: 604_800, overlap: "allow" });
    const fired = async () => (await Promise.all([...names, "nightly"].map((name) => slots(hub, name)))).flat().length;
    await hub.tick(400 * DAY + 20 * MINUTE);
    const counts = [await fired()];
    for (let n = 0; n < 20; n += 1) {
      await hub.tick(SECOND);
      counts.push(await fired());
    }
    const steps = counts.slice(1).map((count, n) => count - (counts[n] ?? 0));
    expect([Math.max(...steps) <= 2, counts.at(-1)]).toEqual([true, 5 + 12]);
    expect((await runs(hub))[0].reason).toMatch(/^missed: more than 189 slots were missed/);
  });

  test("CRON-6: while a run goes on the next one is skipped, waits for it, or goes on beside it", async () => {
    const hub = await open({ now: START });
    const worker = await hub.token("worker", "mason");
    for (const overlap of ["skip", "queue", "allow"])
      await cron(hub, "0 * * * *", { overlap, channel: overlap }, overlap);
    await pass(hub, 2 * HOUR);
    const states = async (name: string) => (await runs(hub, name)).map(({ state }: { state: string }) => state);
    expect(await states("skip")).toEqual(["pending", "skipped"]);
    expect((await runs(hub, "skip"))[1].reason).toMatch(/^overlap: run \d+ was still going on$/);
    expect(await states("queue")).toEqual(["pending", "pending"]);
    const waiting = async (channel: string) =>
      (await hub.call(hub.admin, "task_list", { channel })).body.tasks.map(
        ({ held_for }: { held_for: string }) => held_for,
      );
    expect((await waiting("queue")).sort()).toEqual(["concurrency", null].sort());
    expect(await waiting("allow")).toEqual([null, null]);
    for (let n = 0; n < 5; n += 1) await work(hub, worker);
    await pass(hub, HOUR);
    expect(await states("skip")).toEqual(["done", "skipped", "pending"]);
    expect(await states("queue")).toEqual(["done", "done", "pending"]);
  });

  test("CRON-7: a slot fires once, however often and on how many nodes it is looked at", async () => {
    const hub = await open({ now: START });
    const other = database === "postgres" ? await open({ same: hub }) : hub;
    await cron(hub, "* * * * *", { overlap: "allow" });
    for (let n = 0; n < 3; n += 1) await Promise.all([hub.tick(30 * SECOND), other.tick(30 * SECOND)]);
    const fired = await slots(hub);
    expect(fired).toEqual(["2027-03-01T09:01:00.000Z", "2027-03-01T09:02:00.000Z", "2027-03-01T09:03:00.000Z"]);
    expect((await get(hub)).trigger.run_count).toBe(3);
  });

  test("CRON-7: what breaks off in the middle of a slot fires it once the next time", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 * * * *");
    // Each time: what fails beside others is done again without them.
    arm("cron.after_slot_insert:throw:each");
    await hub.tick(HOUR);
    disarm();
    expect(await slots(hub)).toEqual([]);
    await hub.tick(30 * SECOND);
    expect(await slots(hub)).toEqual(["2027-03-01T10:00:00.000Z"]);
    expect((await hub.call(hub.admin, "task_list")).body.tasks).toHaveLength(1);
  });

  test("CRON-7: a clock that jumps ahead and back fires no slot twice", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 * * * *", { overlap: "allow" });
    await hub.setClock(3 * HOUR);
    await hub.setClock(-3 * HOUR);
    const fired = await slots(hub);
    await pass(hub, 4 * HOUR - MINUTE);
    expect(await slots(hub)).toEqual(fired);
    await hub.tick(MINUTE);
    expect(await slots(hub)).toEqual([...fired, "2027-03-01T13:00:00.000Z"]);
  });

  test("G12: set back, the next slot fires once, when the clock shows it, and none that was dealt with fires again, also by a hub that starts then", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 * * * *", { missed: "all", overlap: "allow" });
    await pass(hub, HOUR + 10 * MINUTE);
    const first = ["2027-03-01T10:00:00.000Z"];
    expect(await slots(hub)).toEqual(first);
    await hub.setClock(-30 * MINUTE);
    await pass(hub, 79 * MINUTE);
    expect(await slots(hub)).toEqual(first);
    await hub.tick(MINUTE);
    const both = [...first, "2027-03-01T11:00:00.000Z"];
    expect(await slots(hub)).toEqual(both);
    await hub.stop();
    const again = await open({ same: hub, now: START + 55 * MINUTE });
    await pass(again, 65 * MINUTE);
    expect(await slots(again)).toEqual(both);
    await pass(again, HOUR + MINUTE);
    expect(await slots(again)).toEqual([...both, "2027-03-01T12:00:00.000Z"]);
  });

  test("CRON-8: a disabled one does not fire, and enabled again it makes up for nothing", async () => {
    const hub = await open({ now: START });
    await cron(hub, "0 * * * *", { missed: "all", overlap: "allow" });
    await hub.call(hub.admin, "trigger_update", { name: "nightly", enabled: false });
    expect((await get(hub)).trigger.next_run).toBeNull();
    await pass(hub, 3 * HOUR);
    await hub.call(hub.admin, "trigger_update", { name: "nightly", enabled: true });
    await hub.tick(MINUTE);
    expect(await runs(hub)).toEqual([]);
    await pass(hub, HOUR);
    expect(await slots(hub)).toEqual(["2027-03-01T13:00:00.000Z"]);
  });

  test("CRON-9: what has nothing to do with time does not shift the next run", async () => {
    const hub = await open({ now: START });
    await cron(hub, "*/20 * * * *");
    const { next_run } = (await get(hub)).trigger;
    await hub.tick(10 * MINUTE);
    const change = {
      name: "nightly",
      description: "Something else.",
      prompt: "Say so.",
      missed: "skip",
      overlap: "skip",
    };
    expect((await hub.call(hub.admin, "trigger_update", change)).body.trigger.next_run).toBe(next_run);
    await hub.tick(10 * MINUTE);
    expect(await slots(hub)).toEqual([next_run]);
    const moved = await hub.call(hub.admin, "trigger_update", { name: "nightly", schedule: "0 12 * * *" });
    expect(moved.body.trigger.next_run).toBe("2027-03-01T12:00:00.000Z");
  });

  test("CRON-10: slots that cannot be fired are recorded as failed, and the next one fires", async () => {
    const hub = await open({ now: START });
    for (const [name, schedule] of [
      ["minutely", "* * * * *"],
      ["hourly", "31 * * * *"],
    ] as const) {
      await cron(hub, schedule, {}, name);
      // In the place of the file with what it says.
      mkdirSync(join(hub.home, "triggers", `${name}.md`), { recursive: true });
    }
    await hub.tick(31 * MINUTE);
    // Each is tried eight times, later and later: the hourly one as soon as it is late, as one that was missed.
    for (const seconds of [13, 25, 13, 25, 50, 100, 200, 400, 800]) await hub.tick(seconds * SECOND);
    for (const name of ["minutely", "hourly"]) {
      const [failed] = await runs(hub, name);
      expect(failed).toMatchObject({ state: "failed", reason: expect.stringContaining("tried in vain") });
      rmdirSync(join(hub.home, "triggers", `${name}.md`));
    }
    await hub.tick(HOUR);
    for (const name of ["minutely", "hourly"]) {
      expect((await runs(hub, name)).at(-1)).toMatchObject({ state: "pending" });
      expect((await get(hub, name)).trigger.run_count).toBeGreaterThan(0);
    }
  });

  test("CRON-10: the history says when a run was due, started and ended, and what came of it", async () => {
    const hub = await open({ now: START });
    const worker = await hub.token("worker", "mason");
    await cron(hub, "0 * * * *", { prompt: "Look after the backups." });
    await hub.tick(HOUR - 10 * SECOND);
    expect(await runs(hub)).toMatchObject([
      { source: "cron", state: "pending", scheduled_at: "2027-03-01T10:00:00.000Z", started_at: null, ended_at: null },
    ]);
    await hub.tick(MINUTE);
    const { next_task } = (await hub.call(worker, "get_next_task")).body;
    expect(next_task).toMatchObject({
      content: "Look after the backups.",
      channel: "internal",
      sender: "trigger:nightly",
    });
    expect(await runs(hub)).toMatchObject([{ state: "running", started_at: "2027-03-01T10:01:20.000Z" }]);
    await hub.tick(30 * SECOND);
    await hub.call(worker, "task_complete", { task_id: next_task.id, response_summary: "All fine." });
    expect(await runs(hub)).toMatchObject([
      {
        ...{
          trigger: "nightly",
          state: "done",
          outcome: "All fine.",
          task_id: next_task.id,
          fired_at: "2027-03-01T10:00:20.000Z",
        },
        ...{ started_at: "2027-03-01T10:01:20.000Z", ended_at: "2027-03-01T10:01:50.000Z", cost_usd: null },
      },
    ]);
    expect((await get(hub)).trigger).toMatchObject({ run_count: 1, last_run: "2027-03-01T10:00:20.000Z" });
  });
});
