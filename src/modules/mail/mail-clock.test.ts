/** A clock that jumps: nothing happens twice, nothing is lost, and what is new stays on top. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3600 * 1000;
const YEAR_MS = 365 * 24 * HOUR_MS;

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let heron: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    heron = await hub.token("agent", "heron");
  });

  const send = async (subject: string, more: object = {}): Promise<string> =>
    (await hub.call(ana, "mail_send", { to: ["heron"], subject, body: "b", ...more })).body.id;
  const snooze = (id: string, until: string) => hub.call(heron, "mail_update", { id, action: "snooze", until });
  const subjects = async (): Promise<string[]> =>
    (await hub.call(heron, "mail_inbox")).body.messages.map(({ subject }: { subject: string }) => subject);
  const overdue = async (): Promise<unknown[]> =>
    (await hub.call(ana, "notice_list")).body.notices.filter(({ kind }: { kind: string }) => kind === "mail.overdue");

  test("set forward by a year, every snooze fires once, the earliest first, and every deadline is raised once", async () => {
    await snooze(await send("second"), "2h");
    await snooze(await send("third"), "3d");
    await snooze(await send("first"), "1h");
    await send("due", { deadline: "1h" });
    await hub.tick(YEAR_MS);
    expect(await subjects()).toEqual(["third", "second", "first", "due"]);
    expect(await overdue()).toHaveLength(1);
    await hub.tick(YEAR_MS);
    expect(await subjects()).toEqual(["third", "second", "first", "due"]);
    expect(await overdue()).toHaveLength(1);
  });

  test("set back, what is sent then is still the newest, and what sleeps neither wakes early nor never", async () => {
    const early = await send("early");
    await snooze(early, "1h");
    await hub.setClock(-12 * HOUR_MS);
    expect(await subjects()).toEqual([]);
    const late = await send("late");
    expect(Number(late)).toBeGreaterThan(Number(early));
    await snooze(await send("later"), "2h");
    expect(await subjects()).toEqual(["late"]);

    // The hub's time goes on at half the pace until the clock has caught up.
    await hub.tick(2 * HOUR_MS);
    expect(await subjects()).toEqual(["early", "late"]);
    await hub.tick(2 * HOUR_MS);
    expect(await subjects()).toEqual(["later", "early", "late"]);
  });

  test("set back between two starts, ids and times go on from where they were", async () => {
    const before = await send("before");
    await hub.stop();
    hub = await open({ same: hub, now: START - 24 * HOUR_MS });
    const after = await send("after");
    expect(Number(after)).toBeGreaterThan(Number(before));
    expect(await subjects()).toEqual(["after", "before"]);
  });
});
