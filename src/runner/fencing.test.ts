/** What an attempt may still say that was given up. */
import { expect, test } from "vitest";
import { systemActor } from "../context.ts";
import { claim, giveUp, noteSession, record, started } from "../modules/runs/index.ts";
import { eachDatabase } from "../testing/hub.ts";
import { planRun, showRun } from "../testing/runs.ts";

eachDatabase((open) => {
  test("G11: an attempt that was given up records nothing of the next one, which goes on and is recorded once", async () => {
    const hub = await open();
    const id = await planRun(hub);
    const ctx = hub.hub.ctx(systemActor("main"));
    // A node that nobody has heard of: what it begins can be given up.
    const node = { id: "gone", boot: "first", host: "elsewhere" };
    const wanted = { id: Number(id), node, chooses_session: true, timeout_ms: 60_000, account: "default" };
    const begin = () => claim(ctx, { ...wanted, can_go_on: false });
    const held = (attempt: number) => ({ space_id: "main", id: Number(id), attempt });
    const first = await begin();
    expect(await giveUp(ctx, held(1))).toBe(true);
    const second = await begin();
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);

    expect(await started(ctx, held(1), { pid: 1, pid_start: "1" })).toBe(false);
    await noteSession(ctx, held(1), "another-session");
    expect(await giveUp(ctx, held(1))).toBe(false);
    expect(await record(ctx, held(1), { outcome: "done" })).toBe(false);
    const { session_id } = second ?? {};
    expect(await showRun(hub, id)).toMatchObject({ state: "claimed", attempt: 2, session_id });
    expect((await hub.call(first?.token ?? "", "whoami")).status).toBe(401);
    expect((await hub.call(second?.token ?? "", "whoami")).status).toBe(200);

    expect(await started(ctx, held(2), { pid: 1, pid_start: "1" })).toBe(true);
    expect(await record(ctx, held(2), { outcome: "done", exit_code: 0 })).toBe(true);
    expect(await record(ctx, held(2), { outcome: "failed" })).toBe(false);
    expect(await showRun(hub, id)).toMatchObject({
      state: "done",
      attempts: [{ outcome: "lost" }, { outcome: "done" }],
    });
  });
});
