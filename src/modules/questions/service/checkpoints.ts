import type { Ctx, TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { parseId } from "../../../ids.ts";
import * as store from "../store.ts";
import type { CheckpointRow, StatedQuestionRow } from "../tables.ts";
import { tellResumed } from "./events.ts";
import { isoNow, stateOf } from "./wire.ts";

export async function checkpointOf(ctx: Ctx, checkpoint_id: string): Promise<CheckpointRow> {
  const row = await store.findCheckpoint(ctx.db, { space_id: ctx.actor.space_id, id: parseId(checkpoint_id) });
  if (!row) throw new ParleyError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${checkpoint_id} here.`);
  return row;
}

interface HeldQuestion {
  row: StatedQuestionRow;
  waits: boolean;
}

/** The questions that were open when the workflow stopped there, as they are now. */
export async function heldBy(ctx: Ctx, checkpoint_id: number): Promise<HeldQuestion[]> {
  const { space_id } = ctx.actor;
  const held = await store.listHeld(ctx.db, { space_id, checkpoint_id });
  const rows = await Promise.all(
    held.map(({ question_id }) => store.findQuestion(ctx.db, { space_id, id: question_id })),
  );
  return rows.flatMap((row, at) => (row ? [{ row, waits: held[at]?.waits === 1 }] : []));
}

/** A question is over: where that was the last one that was waited for, the workflow goes on. Gives where it does. */
export async function resumeAfter(ctx: TxCtx, question_id: number): Promise<number | undefined> {
  const id = await store.findHolding(ctx.tx, question_id);
  return id !== undefined && (await resume(ctx, id)) ? id : undefined;
}

/** True for the first alone, whoever else tries. */
export async function resume(ctx: TxCtx, id: number): Promise<boolean> {
  const waited = (await heldBy(ctx, id)).filter(({ waits }) => waits).map(({ row }) => stateOf(ctx, row));
  const state = waited.every((one) => one === "withdrawn" || one === "dismissed") ? "withdrawn" : "resumed";
  if (!(await store.resumeCheckpoint(ctx.tx, { id, state, now: isoNow(ctx) }))) return false;
  await tellResumed(ctx, id, state);
  return true;
}

/** How many questions are open: of a checkpoint, or of the space. */
export async function countRemaining(ctx: TxCtx, checkpoint_id: number | undefined): Promise<number> {
  if (checkpoint_id === undefined) return store.countOpen(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx) });
  return (await heldBy(ctx, checkpoint_id)).filter(({ row }) => stateOf(ctx, row) === "open").length;
}
