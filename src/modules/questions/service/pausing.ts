import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import { ownHolder } from "../../identity/index.ts";
import { AddQuestion, type Checked, type CheckWorkflow, MOST_LISTED, type Question, type Reason } from "../schema.ts";
import * as store from "../store.ts";
import { add } from "./asking.ts";
import { heldBy, resume } from "./checkpoints.ts";
import { tellPaused } from "./events.ts";
import { pauseReason } from "./policy.ts";
import { isoNow, wire } from "./wire.ts";

const MOST_QUOTED = 2000;

/** Says whether the workflow is to pause, and keeps where it did. As long as it is paused it says the same. */
export function check(ctx: Ctx, { phase, output }: CheckWorkflow): Promise<Checked> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const before = await store.findPhase(ctx.tx, space_id);
    const paused = await store.findWaiting(ctx.tx, space_id);
    if (paused && !(await resume(ctx, paused.id))) {
      const held = (await heldBy(ctx, paused.id)).filter(({ waits }) => waits);
      const { id, reason } = paused;
      const questions = held.map(({ row }) => wire(ctx, row));
      return { pause: true, reason, checkpoint_id: formatId(id), questions, phase: before };
    }
    const open = await openQuestions(ctx);
    if (phase !== undefined && phase !== before) await store.savePhase(ctx.tx, { phase, begun_at: isoNow(ctx) });
    const now_in = phase ?? before;
    const reason = pauseReason({ open, phase, before, output }, ctx.config);
    if (!reason) return { pause: false, questions: open, phase: now_in };
    const asked = open.length > 0 ? open : await askFor(ctx, output ?? "");
    return pause(ctx, { reason, phase: now_in, open: asked });
  });
}

const openQuestions = async (ctx: TxCtx): Promise<Question[]> =>
  (await store.listOpen(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx), limit: MOST_LISTED })).map((row) =>
    wire(ctx, row),
  );

/** It asks for a person and nothing is open: without a question nobody could have it go on. */
async function askFor(ctx: TxCtx, output: string): Promise<Question[]> {
  const asker = await ownHolder(ctx);
  const context = `${asker.name} says: "${cut(output.trim(), MOST_QUOTED)}"`;
  const question = "The work needs human input to continue. What should it do?";
  await add(ctx, { asker }, AddQuestion.parse({ question, context, priority: "high", blocking: true }));
  return openQuestions(ctx);
}

interface Pausing {
  reason: Reason;
  phase: string | null;
  open: Question[];
}

async function pause(ctx: TxCtx, { reason, phase, open }: Pausing): Promise<Checked> {
  const { principal_id: paused_by } = await ownHolder(ctx);
  const blocking = open.filter((question) => question.blocking);
  const waited = blocking.length > 0 ? blocking : open;
  const id = ctx.tx.takeId();
  const checkpoint_id = formatId(id);
  await store.insertCheckpoint(ctx.tx, { id, paused_by, reason, phase, state: "waiting", resumed_at: null });
  await store.insertHeld(
    ctx.tx,
    open.map((question) => ({
      checkpoint_id: id,
      question_id: Number(question.id),
      waits: waited.includes(question) ? 1 : 0,
    })),
  );
  await tellPaused(ctx, { id, reason, phase, questions: waited });
  const questions = waited.map((question) => ({ ...question, waiting: { checkpoint_id, phase } }));
  return { pause: true, reason, checkpoint_id, questions, phase };
}
