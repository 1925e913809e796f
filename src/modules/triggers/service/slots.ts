/**
 * When a cron trigger fires. Each slot is dealt with once: the row of `due` that says so goes in the transaction that
 * fires it, none up to `last_slot` comes again whatever the clock does, and an index lets no slot be stored twice.
 */
import type { TxCtx } from "../../../context.ts";
import { move, plan, unplan } from "../../../due/index.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";
import type { RunRow, TriggerRow } from "../tables.ts";
import { type Schedule, scheduleOf } from "./cron.ts";
import { fire, noteNothing } from "./firing.ts";
import { isoAt } from "./wire.ts";

const CRON = "trigger.cron";
const CATCH_UP = "trigger.catch_up";
/** A slot that is seen this late was not missed. */
const GRACE_MS = 60_000;
/** Between two that were missed: what comes back after a night does not do everything at once. */
const STAGGER_MS = 1000;
const MOMENT_MS = 1000;
/** So many of what was missed are counted. */
const MOST_COUNTED = 200;

/** Has it fire at its next slot from now on, or not at all while it is disabled. */
export async function planNext(ctx: TxCtx, row: TriggerRow): Promise<TriggerRow> {
  if (row.type !== "cron") return row;
  await unplan(ctx, { kind: CATCH_UP, ref: row.id });
  const next = row.enabled ? scheduleIn(row)?.next(Math.max(shownBy(ctx), lastSlot(row))) : undefined;
  if (next === undefined) await unplan(ctx, { kind: CRON, ref: row.id });
  else await move(ctx, { kind: CRON, ref: row.id, at: whenShown(ctx, next) });
  return { ...row, next_run: next === undefined ? null : isoAt(next) };
}

export async function unplanAll(ctx: TxCtx, id: number): Promise<void> {
  await unplan(ctx, { kind: CRON, ref: id });
  await unplan(ctx, { kind: CATCH_UP, ref: id });
}

const scheduleIn = ({ schedule, timezone }: TriggerRow): Schedule | undefined =>
  schedule === null ? undefined : scheduleOf({ schedule, timezone });

const lastSlot = ({ last_slot }: TriggerRow): number => (last_slot === null ? 0 : Date.parse(last_slot));

export const slotsDue: Record<string, DueHandler> = {
  [CRON]: async (ctx, { ref }) => {
    const trigger = await store.findTriggerById(ctx.tx, ref);
    const schedule = trigger && scheduleIn(trigger);
    if (!trigger?.enabled || !schedule || trigger.next_run === null) return;
    const now = shownBy(ctx);
    // Not when the row is due: one that failed was put off, and its slot is still the same.
    const from = Math.max(Date.parse(trigger.next_run), lastSlot(trigger) + 1);
    const newest = schedule.last(now, 1).find((slot) => slot >= from);
    const fired = newest === undefined ? undefined : await dealWith(ctx, { trigger, schedule, from, newest });
    const next = schedule.next(Math.max(now, lastSlot(trigger)));
    await store.saveSlots(ctx.tx, {
      ...counted(trigger, fired),
      last_slot: newest === undefined ? trigger.last_slot : isoAt(newest),
      next_run: next === undefined ? null : isoAt(next),
    });
    if (next !== undefined) await plan(ctx, { kind: CRON, ref, at: whenShown(ctx, next) });
  },
  [CATCH_UP]: async (ctx, { ref, payload }) => {
    const trigger = await store.findTriggerById(ctx.tx, ref);
    const [slot, ...rest] = payload as number[];
    if (!trigger?.enabled || slot === undefined) return;
    await store.saveSlots(ctx.tx, counted(trigger, await fire(ctx, { trigger, source: "cron", sender: "cron", slot })));
    if (rest.length > 0) await plan(ctx, { kind: CATCH_UP, ref, at: ctx.now() + STAGGER_MS, payload: rest });
  },
};

/** What could not be fired however often it was tried is one of the history, and the next slot is another. */
export const slotsDied: Record<string, DueHandler> = {
  [CRON]: async (ctx, { ref }) => {
    const trigger = await store.findTriggerById(ctx.tx, ref);
    const schedule = trigger && scheduleIn(trigger);
    if (!trigger?.enabled || !schedule || trigger.next_run === null) return;
    const from = Date.parse(trigger.next_run);
    const slots = schedule.last(shownBy(ctx), MOST_COUNTED + 1).filter((slot) => slot >= from);
    const more = slots.length > MOST_COUNTED;
    if (slots.length > 0) await noteNothing(ctx, trigger, { slots, more, how: "failed" });
    const last_slot = isoAt(slots.at(-1) ?? lastSlot(trigger));
    await store.saveSlots(ctx.tx, await planNext(ctx, { ...trigger, last_slot }));
  },
  [CATCH_UP]: async (ctx, { ref, payload }) => {
    const trigger = await store.findTriggerById(ctx.tx, ref);
    const [slot, ...rest] = payload as number[];
    if (!trigger || slot === undefined) return;
    await noteNothing(ctx, trigger, { slots: [slot], how: "failed" });
    if (rest.length > 0) await plan(ctx, { kind: CATCH_UP, ref, at: ctx.now() + STAGGER_MS, payload: rest });
  },
};

/** The time of the clock. Where the hub's own is ahead by a moment only, that is how exactly it was measured. */
function shownBy(ctx: TxCtx): number {
  const [now, wall] = [ctx.now(), ctx.database.wall()];
  return now - wall < MOMENT_MS ? now : wall;
}

/** The hub's time at which the clock shows that: ahead of a clock that was set back, it goes at half the pace. */
const whenShown = (ctx: TxCtx, at: number): number => Math.max(at, ctx.now() + Math.ceil((at - shownBy(ctx)) / 2));

/** With one run more, where there was one. A slot's is counted with what else it changes: a thousand may come at once. */
const counted = (trigger: TriggerRow, fired: RunRow | undefined): TriggerRow =>
  fired === undefined || fired.state === "skipped"
    ? trigger
    : { ...trigger, last_run: fired.fired_at, run_count: trigger.run_count + 1 };

interface Passed {
  trigger: TriggerRow;
  schedule: Schedule;
  /** The first that was not dealt with, and the last that has come. */
  from: number;
  newest: number;
}

/** The newest on time, and of those that were missed what the trigger says. Gives the run that was fired. */
async function dealWith(ctx: TxCtx, { trigger, schedule, from, newest }: Passed): Promise<RunRow | undefined> {
  const isLate = shownBy(ctx) - newest > GRACE_MS;
  const slots = from === newest ? [newest] : schedule.last(newest, MOST_COUNTED + 1).filter((slot) => slot >= from);
  const missed = isLate ? slots : slots.slice(0, -1);
  const later = caughtUp(ctx, trigger, missed, isLate);
  const left = missed.filter((slot) => !later.includes(slot));
  if (left.length > 0)
    await noteNothing(ctx, trigger, { slots: left, more: slots.length > MOST_COUNTED, how: "missed" });
  if (later.length > 0) await planCatchUp(ctx, trigger.id, later);
  return isLate ? undefined : fire(ctx, { trigger, source: "cron", sender: "cron", slot: newest });
}

function caughtUp(ctx: TxCtx, trigger: TriggerRow, missed: readonly number[], isLate: boolean): number[] {
  // The one that is on time is the one.
  if (trigger.missed === "once") return isLate ? missed.slice(-1) : [];
  if (trigger.missed === "skip") return [];
  const since = shownBy(ctx) - trigger.missed_window_seconds * 1000;
  return missed.filter((slot) => slot >= since).slice(-trigger.missed_max);
}

/** Behind what others still have to catch up with. */
async function planCatchUp(ctx: TxCtx, ref: number, slots: readonly number[]): Promise<void> {
  const waiting = await store.countDue(ctx.tx, CATCH_UP);
  await move(ctx, { kind: CATCH_UP, ref, at: ctx.now() + waiting * STAGGER_MS, payload: slots });
}
