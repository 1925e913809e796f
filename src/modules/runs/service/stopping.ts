import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { Reaction } from "../../../feed/reactions.ts";
import { formatId, parseId } from "../../../ids.ts";
import { endedByDenial, withdrawCalled } from "../../approvals/index.ts";
import type { Pausing, Run, RunRef } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { GONE_ON, letGo } from "./deferring.ts";
import { runEnded, runStopping, tellPaused, tellResumed } from "./events.ts";
import { isLive, isoNow, runOf, wire } from "./wire.ts";

/** What has not begun never will; what runs is ended by the node that runs it. */
export function stop(ctx: Ctx, { id }: RunRef): Promise<Run> {
  return transact(ctx, async (ctx) => {
    const row = await runOf(ctx, parseId(id));
    if (!isLive(row)) throw new ParleyError("CONFLICT", `Run ${formatId(row.id)} is over: it is ${row.state}.`);
    const pause = await store.findPause(ctx.tx, ctx.tx.space_id);
    if (row.stop_requested_at !== null) return wire(ctx, row, pause !== undefined);
    return wire(ctx, await askToStop(ctx, row, ctx.actor.name), pause !== undefined);
  });
}

export async function askToStop(ctx: TxCtx, row: RunRow, stop_requested_by: string): Promise<RunRow> {
  const asked = { ...row, stop_requested_at: isoNow(ctx), stop_requested_by };
  const stopped = { ...asked, ...GONE_ON, state: "stopped", waits_for: null, ended_at: isoNow(ctx) } as const;
  const next = row.state === "queued" ? stopped : asked;
  await store.saveRun(ctx.tx, next);
  await withdrawCalled(ctx, row.id);
  if (next.state === "stopped") await letGo(ctx, row, "It was stopped.");
  await (next.state === "stopped" ? runEnded : runStopping).tell(ctx, next, { outcome: "stopped" });
  return next;
}

/** A call of its program was denied so that the run ends with it. */
export const stopDenied: Reaction = async (ctx, event) => {
  const ended = await endedByDenial(ctx, event);
  const row = ended && (await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id: ended.cause }));
  if (row && isLive(row) && row.stop_requested_at === null) await askToStop(ctx, row, ended.by);
};

/** Nothing is started in this space from now on. What runs goes on. */
export function pause(ctx: Ctx): Promise<Pausing> {
  return transact(ctx, async (ctx) => {
    const known = await store.findPause(ctx.tx, ctx.tx.space_id);
    if (known) return known;
    const row = { paused_by: ctx.actor.name, paused_at: isoNow(ctx) };
    await store.insertPause(ctx.tx, row);
    await tellPaused(ctx, row);
    return row;
  });
}

export function resume(ctx: Ctx): Promise<Pausing> {
  return transact(ctx, async (ctx) => {
    if (await store.findPause(ctx.tx, ctx.tx.space_id)) {
      await store.deletePause(ctx.tx);
      await tellResumed(ctx);
    }
    return { paused_at: null, paused_by: null };
  });
}
