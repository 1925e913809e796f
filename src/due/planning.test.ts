/** What happens by itself in every space, and what people learn of what could not be done. */
import { beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { statement } from "../db/statement.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { plan, unplan } from "./index.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };
const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3600 * 1000;
const DAY = 24 * HOUR;
const SPACES = Array.from({ length: 130 }, (_, n) => `sess_${String(n).padStart(3, "0")}`);

const purges = statement<Record<string, never>, { space_id: string }>(
  "select space_id from due where kind = 'feed.purge' order by space_id",
);
const dead = statement<Record<string, never>, { space_id: string; kind: string; attempts: number; error: string }>(
  "select space_id, kind, attempts, error from due_dead order by space_id, id",
);

eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open({ now: START });
  });

  const inTx = async <T>(space_id: string, work: (ctx: TxCtx) => Promise<T>): Promise<T> => {
    const ctx = await hub.as(hub.admin);
    return hub.hub.database.write(space_id, (tx) => work({ ...ctx, db: tx, tx }));
  };
  const planned = async () => (await hub.hub.database.all(purges, {})).map(({ space_id }) => space_id);

  test("a start visits no space; one with other settings has every space planned anew", async () => {
    for (const id of SPACES) await hub.call(hub.admin, "space_create", { id, ttl_seconds: 100 * 24 * 3600 });
    await expect.poll(planned, SOON).toEqual(["hub", "main", ...SPACES]);
    for (const id of SPACES) await inTx(id, (ctx) => unplan(ctx, { kind: "feed.purge" }));

    await hub.stop();
    hub = await open({ same: hub });
    await hub.tick(1000);
    expect(await planned()).toEqual(["hub", "main"]);

    await hub.stop();
    hub = await open({ same: hub, config: { event_days: 7 } });
    await hub.tick(1000);
    expect(await planned()).toEqual(["hub", "main", ...SPACES]);
  });

  test("what failed too often is one notice for the people there, counted, and kept with what went wrong", async () => {
    await inTx("main", async (ctx) => {
      for (const ref of [1, 2, 3]) await plan(ctx, { kind: "due.tell", ref, at: START, payload: "nonsense" });
    });
    for (let hour = 0; hour < 10; hour += 1) await hub.tick(HOUR);

    const { notices } = (await hub.call(hub.admin, "notice_list", {})).body;
    expect(notices).toMatchObject([{ kind: "due.dead", times: 3, title: expect.stringMatching(/^3 things/) }]);
    expect(notices[0].text).toMatch(/^due\.tell \(\d\) failed 8 times/);
    const kept = await hub.hub.database.all(dead, {});
    expect(kept).toMatchObject(Array.from({ length: 3 }, () => ({ space_id: "main", kind: "due.tell", attempts: 8 })));
    expect(await hub.hub.metrics.registry.metrics()).toContain('parley_due_dead_total{kind="due.tell"} 3');

    await hub.tick(90 * DAY);
    expect(await hub.hub.database.all(dead, {})).toEqual([]);
  });

  test("what failed in the hub's own space is told in the permanent one", async () => {
    await inTx("hub", (ctx) => plan(ctx, { kind: "due.spread", ref: 0, at: START, payload: { after: 7 } }));
    for (let hour = 0; hour < 10; hour += 1) await hub.tick(HOUR);

    expect(await hub.hub.database.all(dead, {})).toMatchObject([{ space_id: "hub", kind: "due.spread" }]);
    const { notices } = (await hub.call(hub.admin, "notice_list", {})).body;
    expect(notices).toMatchObject([{ kind: "due.dead", text: expect.stringMatching(/^due\.spread \(0\) failed 8/) }]);
  });
});
