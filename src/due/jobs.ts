import { type Ctx, type TxCtx, transact } from "../context.ts";
import type { DueJob, JobDone } from "../module.ts";
import { backoff } from "./backoff.ts";
import { type DueRow, deleteDue, findDue, readDue, saveDue } from "./store.ts";

/** For so long nobody else does it: a node that dies in the middle leaves it to the next. */
const LEASE_MS = 60_000;
/** What somebody may be waiting for is tried at least this often. */
const LONGEST_PAUSE_MS = 300_000;

interface Done extends JobDone {
  /** How often it has failed by now. */
  failed?: number;
}

interface Doing {
  job: DueJob;
  report: (error: unknown, row?: DueRow) => void;
  random: (() => number) | undefined;
}

/** Even in a space that has expired: somebody has to tidy up there. */
const TIDYING = { even_expired: true };

/** Does what a row asks for, outside of any transaction. The row is gone only when it is through. */
export async function runJob(
  ctx: Ctx,
  { kind, ref }: DueRow,
  { job, report, random = Math.random }: Doing,
): Promise<void> {
  const row = await take(ctx, { kind, ref });
  if (!row) return;
  const { at, attempt, payload } = row;
  const due = { ref, at: Date.parse(at), payload: payload === null ? undefined : JSON.parse(payload), attempt };
  const held = { ...row };
  const renew = (): Promise<void> => extend(ctx, held);
  const done = await job(ctx, { ...due, renew }).catch((error: unknown): Done => {
    report(error, row);
    return { again: ctx.now() + Math.min(LONGEST_PAUSE_MS, backoff(attempt + 1, random())), failed: attempt + 1 };
  });
  // Were it lost, the job would be done again, as it would have been a moment before.
  await transact(ctx, (ctx) => settle(ctx, held, done), { ...TIDYING, patient: true });
}

/** Once its lease is half over; where no other node could take it there is nothing to extend. */
async function extend(ctx: Ctx, held: DueRow): Promise<void> {
  if (!ctx.database.shared || Date.parse(held.at) - ctx.now() > LEASE_MS / 2) return;
  const at = iso(ctx.now() + LEASE_MS);
  const work = async (ctx: TxCtx): Promise<void> => {
    const row = await findDue(ctx.tx, { kind: held.kind, ref: held.ref, now: EVER });
    if (row?.at !== held.at) throw new Error(`${held.kind} took too long and is somebody else's by now`);
    await saveDue(ctx.tx, { ...held, at });
  };
  await transact(ctx, work, TIDYING);
  held.at = at;
}

/**
 * Nobody else does it meanwhile: other nodes find the row moved ahead. Where there are none it stays as it is, which saves
 * a commit, unless it was planned in this very millisecond: then what is asked for anew could not be told from it.
 */
async function take(ctx: Ctx, { kind, ref }: Pick<DueRow, "kind" | "ref">): Promise<DueRow | undefined> {
  const now = ctx.now();
  if (!ctx.database.shared) {
    const row = await readDue(ctx.db, { space_id: ctx.actor.space_id, kind, ref, now: iso(now) });
    if (!row || row.at < iso(now)) return row;
  }
  const lease = async (ctx: TxCtx): Promise<DueRow | undefined> => {
    const row = await findDue(ctx.tx, { kind, ref, now: iso(now) });
    if (!row) return undefined;
    const leased = { ...row, at: iso(now + LEASE_MS) };
    await saveDue(ctx.tx, leased);
    return leased;
  };
  return await transact(ctx, lease, TIDYING);
}

async function settle(ctx: TxCtx, taken: DueRow, { again, failed = 0, record }: Done): Promise<void> {
  await record?.(ctx);
  const row = await findDue(ctx.tx, { kind: taken.kind, ref: taken.ref, now: EVER });
  // Asked for anew meanwhile: then it is done anew.
  if (row?.at !== taken.at) return;
  await (again === undefined
    ? deleteDue(ctx.tx, taken)
    : saveDue(ctx.tx, { ...taken, at: iso(again), attempt: failed }));
}

const EVER = "9999-12-31T23:59:59.999Z";
const iso = (ms: number): string => new Date(ms).toISOString();
