import { z } from "zod";
import type { TxCtx } from "../../../context.ts";
import { move, plan } from "../../../due/index.ts";
import { because } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { relay } from "../../mail/index.ts";
import * as store from "../store.ts";
import type { AwaitRow, TaskRow } from "../tables.ts";
import { RELAY, TELL } from "./due-kinds.ts";
import { isoNow } from "./wire.ts";

const Payload = z.object({ from: z.string().nullable() });
const Told = Payload.extend({ attempt: z.int() });
const MOST_SUBJECT = 100;
/** Whoever still waits is answered at once, and whoever asks again and again does so by then: neither needs mail. */
const ANSWERED_MS = 10_000;

interface Owed {
  /** Whose words the result is in. */
  from: string | null;
  awaits: readonly AwaitRow[];
}

/** The end is owed to who sent the task, where that is told by mail, and to everybody else who waits and is no trigger. */
export async function planMail(ctx: TxCtx, row: TaskRow, { from, awaits }: Owed): Promise<void> {
  if (row.relay_owed === 1) await plan(ctx, { kind: RELAY, ref: row.id, at: ctx.now(), payload: { from } });
  const payload = { from, attempt: row.attempt };
  // Moved: one of an earlier end, of a task that was requeued since, would tell nothing.
  for (const { id: ref } of awaits.filter((one) => one.trigger_name === null && !isRelayedTo(row, one)))
    await move(ctx, { kind: TELL, ref, at: ctx.now() + ANSWERED_MS, payload });
}

const isRelayedTo = ({ relay_owed, sender_id }: TaskRow, { trigger_name, waiter_id }: AwaitRow): boolean =>
  relay_owed === 1 && trigger_name === null && waiter_id === sender_id;

/** The result goes to who asked for it, as mail from who worked on it, in the thread in which it was asked for. */
export const relayResult: DueHandler = async (ctx, { ref, payload }) => {
  const { from } = Payload.parse(payload);
  const row = await store.findTask(ctx.tx, { space_id: ctx.tx.space_id, id: ref });
  if (row?.relay_owed !== 1) return;
  const awaits = row.awaited > 0 ? await store.listAwaits(ctx.tx, { space_id: ctx.tx.space_id, task_id: ref }) : [];
  await mail(ctx, row, { from, to: row.sender, thread_id: row.thread_id });
  for (const one of awaits.filter((one) => isRelayedTo(row, one))) await noteMailed(ctx, one);
  await store.noteRelayed(ctx.tx, row.id);
};

/** With the row of `due` and what is noted of the await in one transaction: once. */
export const tellWaiter: DueHandler = async (ctx, { ref, payload }) => {
  const { from, attempt } = Told.parse(payload);
  const { space_id } = ctx.tx;
  const waiting = await store.findAwait(ctx.tx, { space_id, id: ref });
  if (waiting?.attempt !== attempt || waiting.ended_at === null || waiting.consumed_at !== null) return;
  const row = await store.findTask(ctx.tx, { space_id, id: waiting.task_id });
  // The thread is between its sender and the worker.
  if (row) await mail(ctx, row, { from, to: waiting.waiter, thread_id: null });
  await noteMailed(ctx, waiting);
};

interface Letter {
  from: string | null;
  to: string | null;
  thread_id: number | null;
}

async function mail(ctx: TxCtx, row: TaskRow, { from, to, thread_id }: Letter): Promise<void> {
  if (from === null || to === null) return;
  await relay(because(ctx, row.id), { from, to, subject: subjectOf(row), body: bodyOf(row), thread_id });
}

async function noteMailed(ctx: TxCtx, { id, attempt }: AwaitRow): Promise<void> {
  const at = isoNow(ctx);
  const fenced = { id, attempt: attempt ?? 0 };
  await store.offerAwait(ctx.tx, { ...fenced, offered_at: at, offered_by: "mail" });
  await store.consumeAwait(ctx.tx, { ...fenced, consumed_at: at });
}

const HOW = { done: "Done", cancelled: "Cancelled", dead: "Failed", pending: "", processing: "" } as const;

function subjectOf({ status, content }: TaskRow): string {
  const line = content.trim().replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return `${HOW[status]}: ${[...line].slice(0, MOST_SUBJECT).join("")}`;
}

const bodyOf = ({ id, status, response_summary, error, attempt }: TaskRow): string =>
  response_summary ??
  `Task ${formatId(id)} is ${status} after ${attempt} attempts. The last error, in the worker's words:\n\n${error ?? ""}`;
