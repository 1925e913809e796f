/** Whether who asked has the answer: of askers without a mailbox, which are told another way, once. */
import type { Ctx, TxCtx } from "../../../context.ts";
import { transact } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import { listDeliveries, record } from "../../delivery/index.ts";
import { triggerNamed } from "../../identity/index.ts";
import type { Outcome } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedQuestionRow } from "../tables.ts";
import { TOPIC } from "./events.ts";
import { stateOf } from "./wire.ts";

/** An answer to what a session of a trigger asked. */
export interface TriggersAnswer {
  id: number;
  trigger_name: string;
  /** In which run it was asked, where that is known. */
  run_id: number | undefined;
  asker_id: string;
  question: string;
  answer: string;
  answered_by: string | null;
}

/** Whoever waited for the answer to its own question has it. */
export async function handed(ctx: Ctx, { question_id, state }: Outcome, how: { channel: string; proof: string }) {
  const { principal_id, name } = ctx.actor;
  if (state !== "answered" || triggerNamed(name) === undefined) return;
  const ref = parseId(question_id);
  const row = await store.findQuestion(ctx.db, { space_id: ctx.actor.space_id, id: ref });
  if (row?.asker_id !== principal_id) return;
  await transact(ctx, (ctx) => record(ctx, { topic: TOPIC, ref, principal_id, state: "injected", ...how }));
}

/** Undefined where nobody of a trigger asked, or nobody has answered. */
export async function answerForTrigger(ctx: TxCtx, id: number): Promise<TriggersAnswer | undefined> {
  const row = await store.findQuestion(ctx.tx, { space_id: ctx.tx.space_id, id });
  return row && triggersAnswer(ctx, row);
}

/** Those that were asked in that run, and are answered. */
export async function answersForRun(ctx: TxCtx, run_id: number): Promise<TriggersAnswer[]> {
  const rows = await store.listAnsweredIn(ctx.tx, { space_id: ctx.tx.space_id, run_id });
  return rows.flatMap((row) => triggersAnswer(ctx, row) ?? []);
}

function triggersAnswer(ctx: TxCtx, row: StatedQuestionRow): TriggersAnswer | undefined {
  const trigger_name = triggerNamed(row.asked_by);
  const { id, asker_id, question, answer, settled_by_name: answered_by } = row;
  if (trigger_name === undefined || answer === null || stateOf(ctx, row) !== "answered") return undefined;
  const cause = fromColumns(row);
  const run_id = cause?.how === "credential" ? cause.id : undefined;
  return { id, trigger_name, run_id, asker_id, question, answer, answered_by };
}

/** Notes that the asker is being told, by a run. False where it has been told before. */
export async function takeAnswer(ctx: TxCtx, { id: ref, asker_id: principal_id }: TriggersAnswer): Promise<boolean> {
  const known = await listDeliveries(ctx, { topic: TOPIC, ref });
  if (known.some((one) => one.principal_id === principal_id)) return false;
  await record(ctx, { topic: TOPIC, ref, principal_id, channel: "run", state: "offered", proof: "planned" });
  return true;
}
