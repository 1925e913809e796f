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
  const done = await job(ctx, due).catch((error: unknown): Done => {
    report(error, row);
    return { again: ctx.now() + Math.min(LONGEST_PAUSE_MS, backoff(attempt + 1, random())), failed: attempt + 1 };
  });
  await transact(ctx, (ctx) => settle(ctx, row, done), TIDYING);
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
