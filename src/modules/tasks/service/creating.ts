import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { parseId, timeOfId } from "../../../ids.ts";
import { parseTime } from "../../../times.ts";
import { threadOf } from "../../mail/index.ts";
import { type CreateTask, MOST_CONTENT_BYTES, type Task } from "../schema.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { admitted } from "./admitting.ts";
import { ownSession, registerCounted, registerOnce, triggerOf } from "./awaiting.ts";
import { taskCreated } from "./events.ts";
import { checkNeeds, planSweep } from "./planning.ts";
import { isoAt, laneOf, wire } from "./wire.ts";

/** What a module of the hub has done, in whose name it says. */
interface NewTask extends Partial<Omit<CreateTask, "content" | "channel" | "session_key">> {
  content: string;
  channel: string;
  /** As it is shown, such as `trigger:nightly`. */
  sender: string | null;
  /** The principal who is told of its end and may change it. */
  sender_id: string;
  /** How the sender is told of its end, where that is not as a trigger that awaits it. */
  relay?: "mail";
  /** The trigger that is woken when it ends. */
  awaited_by?: { trigger_name: string; session_key?: string | undefined };
  /** The task of the plan that it is made of. */
  plan_task_id?: number;
}

/** A task of the actor's own. A trigger that makes one waits for it. */
export async function createOwn(ctx: Ctx, { session_key, channel, ...task }: CreateTask): Promise<Task> {
  // Refuses one that is not theirs to write in.
  if (task.thread_id !== undefined) await threadOf(ctx, task.thread_id, 1);
  const { name, principal_id: sender_id } = ctx.actor;
  const trigger_name = triggerOf(ctx);
  const awaited_by =
    trigger_name === undefined ? undefined : { trigger_name, session_key: session_key ?? (await ownSession(ctx))?.key };
  return create(ctx, {
    ...task,
    sender: trigger_name === undefined ? name : `trigger:${trigger_name}`,
    sender_id,
    channel: channel ?? channelOf(ctx),
    ...(awaited_by ? { awaited_by } : { relay: "mail" }),
  });
}

/** By the door that it came through. */
const channelOf = (ctx: Ctx): string => {
  if (triggerOf(ctx) !== undefined) return "task";
  return ctx.door === "page" ? "web" : "internal";
};

export function create(ctx: Ctx, task: NewTask): Promise<Task> {
  checkSize(task.content);
  return transact(ctx, async (ctx) => {
    const { dedup_key, awaited_by } = task;
    const known = dedup_key === undefined ? undefined : await store.findLive(ctx.tx, dedup_key);
    if (known) {
      if (known.content !== task.content) throw otherTask(known, dedup_key ?? "");
      // Of two who ask for the same both are told.
      if (awaited_by || (task.relay === "mail" && known.sender_id !== task.sender_id))
        await registerOnce(ctx, known, { ...awaited_by, ...waiter(ctx, task) });
      return wire(known);
    }
    const made = { ...rowOf(ctx, task), awaited: awaited_by ? 1 : 0 };
    await refuseLanes(ctx, made);
    const row = await admitted(ctx, made);
    await Promise.all([store.insertTask(ctx.tx, row), taskCreated.tell(ctx, row, {})]);
    if (row.held_for === "delay" && row.run_at) await planSweep(ctx, row.run_at);
    if (awaited_by) await registerCounted(ctx, row, { ...awaited_by, ...waiter(ctx, task) });
    await checkNeeds(ctx, row);
    return wire(row);
  });
}

/** Whoever looks for a task looks into each lane, and people are told of each that nobody works on. */
const MOST_LANES = 200;

async function refuseLanes(ctx: TxCtx, { sender_id, lane }: TaskRow): Promise<void> {
  if (lane === DEFAULT_LANE) return;
  const lanes = await store.listLanesOf(ctx.tx, { space_id: ctx.tx.space_id, sender_id, limit: MOST_LANES });
  if (lanes.length < MOST_LANES || lanes.includes(lane)) return;
  throw new ParleyError(
    "LIMIT_REACHED",
    `Tasks of yours wait with ${MOST_LANES} different sets of needs and accounts already. Use one of those, or come again when one is empty.`,
    { details: { limit: MOST_LANES } },
  );
}

export const DEFAULT_LANE = "default";
export const DEFAULT_ACCOUNT = "default";

const waiter = (ctx: TxCtx, { sender, sender_id }: NewTask) => ({
  waiter_id: sender_id,
  waiter: sender ?? ctx.actor.name,
});

export function checkSize(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= MOST_CONTENT_BYTES) return;
  throw new ParleyError(
    "CONTENT_TOO_LARGE",
    `A task holds at most ${MOST_CONTENT_BYTES} bytes; this one has ${bytes}.`,
  );
}

export function rowOf(ctx: TxCtx, task: NewTask): TaskRow {
  const run_at = task.run_at === undefined ? null : parseTime(ctx, task.run_at, { what: "run_at", past: false });
  const { priority = 0, account = DEFAULT_ACCOUNT, needs = [], concurrency_key = null, dedup_key = null } = task;
  const { content, channel, sender, sender_id, thread_id } = task;
  const id = ctx.tx.takeId();
  return {
    ...{ id, channel, sender, sender_id, content, status: "pending", priority, account, dedup_key, concurrency_key },
    created_at: timeOfId(id),
    order_key: id - priority * ctx.config.task_ageing_seconds * 1_000_000,
    lane: laneOf(account, needs),
    run_at: run_at === null ? null : isoAt(run_at),
    concurrency_limit: concurrency_key === null ? null : (task.concurrency_limit ?? 1),
    max_attempts: task.max_attempts ?? 3,
    thread_id: thread_id === undefined ? null : parseId(thread_id),
    ...UNTOUCHED,
    relay: task.relay ?? null,
    plan_task_id: task.plan_task_id ?? null,
    ...toColumns(ctx.cause),
  };
}

const UNTOUCHED = {
  ...{ response_summary: null, error: null, processed_at: null, held_for: null, slot: null, attempt: 0, refunded: 0 },
  ...{ worker_id: null, worker: null, run_id: null, claimed_at: null, lease_until: null, relay_owed: null, awaited: 0 },
  ...{ cancel_requested_at: null, cancel_reason: null },
} as const;

const otherTask = ({ id, status }: TaskRow, dedup_key: string): ParleyError =>
  new ParleyError(
    "CONFLICT",
    `Task ${id} with the key ${JSON.stringify(dedup_key)} is '${status}' and says something else. Use another key, or update that task.`,
    { details: { task_id: String(id), status } },
  );
