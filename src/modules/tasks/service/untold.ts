/** Ends that a trigger waits for and that no program could tell it: people say whether it is tried again. */
import type { TxCtx } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { answerIn, close, raise, subjectOf } from "../../notices/index.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

const KIND = "task.untold";
const AGAIN = "again";

interface Failed {
  /** The wake that is owed still. */
  wake: { id: string; attempt: number };
  /** The run that was to tell of it. */
  run_id: string;
  why: string;
}

/** Asks them. Of those that one trigger waits for there is one question. */
export async function askUntold(ctx: TxCtx, { wake, run_id, why }: Failed): Promise<void> {
  const row = await store.findAwait(ctx.tx, { space_id: ctx.tx.space_id, id: parseId(wake.id) });
  if (!row || row.attempt !== wake.attempt || row.ended_at === null || row.consumed_at !== null) return;
  const { id: ref, trigger_name: name, task_id, status } = row;
  await raise(ctx, {
    key: `${KIND} ${ref} ${run_id}`,
    gather: { name: `${KIND} ${name}`, title: `The trigger ${name} could not be told that {times} tasks have ended` },
    kind: KIND,
    topic: TOPIC,
    ref,
    title: `The trigger ${name} could not be told that a task has ended`,
    text: `Task ${formatId(task_id)} is ${status}. Run ${run_id}, which was to tell it: ${why} Nothing more is tried until you say so.`,
    choices: [AGAIN, "drop"],
  });
}

/** The trigger knows by now, or there is nothing to tell after all. */
export const endUntold = (ctx: TxCtx, ref: number): Promise<void> => close(ctx, { kind: KIND, topic: TOPIC, ref });

/** What people have answered, and of which trigger; undefined for what is the answer to another question. */
export async function untoldIn(
  ctx: TxCtx,
  event: FeedEvent,
): Promise<{ trigger_name: string; again: boolean } | undefined> {
  const { kind, choice } = answerIn(event);
  if (kind !== KIND || choice === null) return undefined;
  const about = await subjectOf(ctx, event.ref);
  const row = await store.findAwait(ctx.tx, { space_id: ctx.tx.space_id, id: about?.ref ?? 0 });
  return row?.trigger_name ? { trigger_name: row.trigger_name, again: choice === AGAIN } : undefined;
}
