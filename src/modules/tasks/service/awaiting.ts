import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { move } from "../../../due/index.ts";
import { formatId } from "../../../ids.ts";
import { triggerNamed } from "../../identity/index.ts";
import type { Wake, WakeList } from "../schema.ts";
import * as store from "../store.ts";
import type { AwaitRow, OwedRow, TaskRow } from "../tables.ts";
import { WAKE } from "./due-kinds.ts";
import { endUntold } from "./untold.ts";
import { isoNow } from "./wire.ts";

interface Waiter {
  waiter_id: string;
  waiter: string;
  trigger_name?: string;
  session_key?: string | undefined;
}

/** Whose session it is that waits, where a trigger has one only. */
const DEFAULT_SESSION = "_default";

/** The trigger that the actor is. */
export const triggerOf = ({ actor }: Ctx): string | undefined =>
  has(actor, "trigger") ? triggerNamed(actor.name) : undefined;

interface Session {
  key: string;
  /** Whether it goes on another time; otherwise each run is one of its own. */
  is_kept: boolean;
}

/** One that the hub itself has started. */
export async function ownSession(ctx: Ctx): Promise<Session | undefined> {
  for (const { sessionOf } of ctx.sessions) {
    const session = await sessionOf?.(ctx);
    if (session) return session;
  }
  return undefined;
}

/** The awaits of the actor, and of those of a trigger of this session alone where that is known. */
async function listOwn(ctx: Ctx, task_id: number): Promise<AwaitRow[]> {
  const { space_id, principal_id, run_cause } = ctx.actor;
  const trigger = triggerOf(ctx);
  const awaits = (await store.listAwaits(ctx.db, { space_id, task_id })).filter(
    (one) => one.waiter_id === principal_id || (trigger !== undefined && one.trigger_name === trigger),
  );
  const session = trigger === undefined || awaits.length === 0 ? undefined : await ownSession(ctx);
  if (!session) return awaits;
  return awaits.filter((one) => one.session_key === session.key && (session.is_kept || one.run_id === run_cause));
}

export const isWaiting = async (ctx: Ctx, task_id: number): Promise<boolean> =>
  (await listOwn(ctx, task_id)).length > 0;

/** The same of the actor, unless they wait already. */
export async function registerOnce(ctx: TxCtx, task: TaskRow, waiter: Waiter): Promise<void> {
  const { session_key = DEFAULT_SESSION } = waiter;
  const known = await listOwn(ctx, task.id);
  if (!known.some((one) => one.trigger_name === null || one.session_key === session_key))
    await register(ctx, task, waiter);
}

/** Somebody waits for the task from now on. */
export async function register(ctx: TxCtx, task: TaskRow, waiter: Waiter): Promise<void> {
  await registerCounted(ctx, task, waiter);
  await store.countAwait(ctx.tx, task.id);
}

/** The same of a task that has been stored as one that somebody waits for. */
export function registerCounted(ctx: TxCtx, task: TaskRow, waiter: Waiter): Promise<void> {
  const { trigger_name, session_key = DEFAULT_SESSION } = waiter;
  const row: AwaitRow = {
    id: ctx.tx.takeId(),
    task_id: task.id,
    waiter_id: waiter.waiter_id,
    waiter: waiter.waiter,
    trigger_name: trigger_name ?? null,
    session_key: trigger_name === undefined ? null : session_key,
    run_id: trigger_name === undefined ? null : (ctx.actor.run_cause ?? null),
    registered_at: isoNow(ctx),
    ...{
      status: null,
      attempt: null,
      ended_at: null,
      offered_at: null,
      offered_by: null,
      offers: 0,
      filed: null,
      filed_in: null,
      consumed_at: null,
    },
  };
  return store.insertAwait(ctx.tx, row);
}

/** Ends that triggers of the space wait for and have not taken, the oldest first. */
export const listWakes = async (
  ctx: Ctx,
  { after_id = 0, limit }: { after_id?: number; limit: number },
): Promise<Wake[]> => (await store.listOwed(ctx.db, { space_id: ctx.actor.space_id, after_id, limit })).map(wakeOf);

/** Whether people are asked what is to become of an end, since nobody could be told of it. */
export async function isGivenUp(ctx: Ctx, { id, attempt }: Taking): Promise<boolean> {
  for (const { gaveUp } of ctx.sessions) if (await gaveUp?.(ctx, { id, attempt })) return true;
  return false;
}

/** The same for people, with what is owed to agents and people until they have their mail. */
export async function showWakes(ctx: Ctx, { limit }: { limit: number }): Promise<WakeList> {
  const rows = await store.listOwedToAll(ctx.db, { space_id: ctx.actor.space_id, limit });
  const shown = async (row: OwedRow): Promise<WakeList["wakes"][number]> => {
    const wake = wakeOf(row);
    const { waiter, trigger_name, session_key } = row;
    const given_up = trigger_name !== null && (await isGivenUp(ctx, wake));
    return { ...wake, waiter, trigger_name, session_key, given_up };
  };
  return { wakes: await Promise.all(rows.map(shown)) };
}

export function wakeOf(row: OwedRow): Wake {
  const { id, task_id, trigger_name, session_key, channel, response_summary, error, attempt } = row;
  return {
    id: formatId(id),
    task_id: formatId(task_id),
    trigger_name: trigger_name ?? "",
    session_key: session_key ?? DEFAULT_SESSION,
    run_id: row.run_id === null ? null : formatId(row.run_id),
    ...{ channel, response_summary, error },
    status: row.status ?? "done",
    attempt: attempt ?? 0,
    registered_at: row.registered_at,
    ended_at: row.ended_at ?? row.registered_at,
    offered_at: row.offered_at,
    offers: row.offers,
  };
}

interface Taking {
  id: string;
  /** In which attempt the task ended: of an earlier end nothing is taken. */
  attempt: number;
}

/** Somebody is being woken, by this way. False if there is nothing more to tell. */
export const offerWake = (ctx: Ctx, { id, attempt, by }: Taking & { by: string }): Promise<boolean> =>
  transact(ctx, (ctx) =>
    store.offerAwait(ctx.tx, { id: Number(id), attempt, offered_at: isoNow(ctx), offered_by: by }),
  );

/** Whoever waited has taken the file that told it: there is nothing left to remove. */
export async function consumeByFile(ctx: TxCtx, { id, attempt }: Taking): Promise<boolean> {
  const taken = await store.consumeAwait(ctx.tx, { id: Number(id), attempt, consumed_at: isoNow(ctx) });
  if (taken) await endUntold(ctx, Number(id));
  return taken;
}

/** Whoever waited has what it waited for. False if there was nothing to take. */
export const consumeWake = (ctx: Ctx, { id, attempt }: Taking): Promise<boolean> =>
  transact(ctx, async (ctx) => {
    const taken = await consumeByFile(ctx, { id, attempt });
    if (taken) await planFile(ctx, Number(id));
    return taken;
  });

/** The file of a wake is written, or removed, as things are by then. */
export async function planFile(ctx: TxCtx, id: number): Promise<void> {
  if (ctx.tx.space_id === MAIN_SPACE) await move(ctx, { kind: WAKE, ref: id, at: ctx.now() });
}

/** The actor has been told of this task's end, if it has one that they waited for. */
export async function consumeOwn(ctx: Ctx, task_id: number): Promise<void> {
  const owed = (await listOwn(ctx, task_id)).filter((one) => one.ended_at !== null && one.consumed_at === null);
  // Which of several sessions asks is not known of those that others have started: it is the one without a name.
  const is_known = owed.length < 2 || (await ownSession(ctx)) !== undefined;
  for (const { id, attempt, session_key } of owed)
    if (attempt !== null && (is_known || session_key === DEFAULT_SESSION))
      await consumeWake(ctx, { id: formatId(id), attempt });
}
