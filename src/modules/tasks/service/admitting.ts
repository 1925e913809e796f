/**
 * Which tasks of a concurrency key can be claimed. Of each lane as many as may still run under it, the first ones, so that
 * neither a lane that nobody works on nor a task of lower priority keeps others from running. The claim of one has those of
 * other lanes held that are too many then; its end lets the first of each lane in again.
 */
import type { TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { taskReleased } from "./events.ts";
import { checkNeeds } from "./planning.ts";
import { isoNow } from "./wire.ts";

/** As it waits: for its time, for its turn under its key, or for a worker. Those that it comes before may have to wait on. */
export async function admitted(ctx: TxCtx, row: TaskRow): Promise<TaskRow> {
  const { run_at, concurrency_key } = row;
  if (run_at !== null && run_at > isoNow(ctx)) return { ...row, held_for: "delay", slot: null };
  if (concurrency_key === null) return { ...row, held_for: null, slot: null };
  const slots = await store.listSlots(ctx.tx, concurrency_key);
  if (!fits(slots, row)) return { ...row, held_for: "concurrency", slot: null };
  await holdExcess(ctx, [...slots, row]);
  return { ...row, held_for: null, slot: 1 };
}

/** Whether one more may run once all of its lane that come before it do. */
function fits(slots: readonly store.SlotRow[], row: store.SlotRow): boolean {
  const before = slots.filter(({ status }) => status === "processing").length;
  const ahead = slots.filter((one) => one.status === "pending" && one.lane === row.lane && store.isBefore(one, row));
  return before + ahead.length < (row.concurrency_limit ?? 1);
}

/** Holds those that do not fit any more, and gives the others. */
async function holdExcess(ctx: TxCtx, slots: readonly store.SlotRow[]): Promise<store.SlotRow[]> {
  const excess = excessOf(slots);
  if (excess.size === 0) return [...slots];
  for (const { id } of excess) await store.holdBehind(ctx.tx, id);
  return slots.filter((one) => !excess.has(one));
}

/** Each lane is put in order once: under one key thousands may be free to run, and everybody's next task waits for this. */
export function excessOf(slots: readonly store.SlotRow[]): Set<store.SlotRow> {
  const waiting = slots.filter(({ status }) => status === "pending");
  const running = slots.length - waiting.length;
  const isExcess = ({ concurrency_limit }: store.SlotRow, ahead: number): boolean =>
    running + ahead >= (concurrency_limit ?? 1);
  const lanes = Map.groupBy(waiting, ({ lane }) => lane).values();
  return new Set([...lanes].flatMap((rows) => rows.sort(byTurn).filter(isExcess)));
}

const byTurn = (one: store.SlotRow, other: store.SlotRow): number => (store.isBefore(one, other) ? -1 : 1);

/** By key: what runs or can be claimed. */
export type KeySlots = Map<string, store.SlotRow[]>;

/** Of the keys of these tasks. */
export async function slotsOf(ctx: TxCtx, rows: readonly (TaskRow | undefined)[]): Promise<KeySlots> {
  const keys = new Set(rows.map((row) => row?.concurrency_key ?? null).filter((key) => key !== null));
  return new Map(
    await Promise.all(
      [...keys].map(async (key): Promise<[string, store.SlotRow[]]> => [key, await store.listSlots(ctx.tx, key)]),
    ),
  );
}

/** One was claimed: what may not run beside it waits. */
export async function yieldTo(ctx: TxCtx, claimed: TaskRow, slots: KeySlots): Promise<void> {
  const { concurrency_key: key } = claimed;
  if (key === null) return;
  const others = (slots.get(key) ?? []).filter(({ id }) => id !== claimed.id);
  slots.set(key, await holdExcess(ctx, [...others, claimed]));
}

/**
 * Reads what creating a task with that key reads, for whoever writes before: on PostgreSQL all that the operations of a
 * batch read before they write is one wait, and what they read behind that is one each.
 */
export const foresee = (ctx: TxCtx, concurrency_key: string): Promise<unknown> =>
  store.listSlots(ctx.tx, concurrency_key);

/** It may be claimed from now on, or waits for something else now. */
export async function release(ctx: TxCtx, row: TaskRow): Promise<void> {
  await store.saveWaiting(ctx.tx, row);
  await taskReleased.tell(ctx, row, {});
  await checkNeeds(ctx, row);
}

/** A task that ran or could be claimed does not any more: of each lane those have their turn that fit now. */
export async function freeSlot(ctx: TxCtx, { concurrency_key, slot }: TaskRow): Promise<void> {
  if (concurrency_key === null || slot !== 1) return;
  let slots = await store.listSlots(ctx.tx, concurrency_key);
  let behind = await store.findBehind(ctx.tx, { concurrency_key, after_lane: "" });
  while (behind) {
    const { lane } = behind;
    const isNext = fits(slots, behind);
    if (isNext) {
      slots = await holdExcess(ctx, [...slots, behind]);
      await release(ctx, { ...behind, held_for: null, slot: 1 });
    }
    const same = isNext ? await store.findBehindIn(ctx.tx, { concurrency_key, lane }) : undefined;
    behind = same ?? (await store.findBehind(ctx.tx, { concurrency_key, after_lane: lane }));
  }
}
