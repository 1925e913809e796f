import { type Ctx, transact } from "../context.ts";
import type { DueJob } from "../module.ts";
import { backoff } from "./backoff.ts";
import { type DueRow, deleteDue, findDue, saveDue } from "./store.ts";

/** For so long nobody else does it: a node that dies in the middle leaves it to the next. */
const LEASE_MS = 60_000;
/** What somebody may be waiting for is tried at least this often. */
const LONGEST_PAUSE_MS = 300_000;

interface Doing {
  job: DueJob;
  report: (error: unknown, row?: DueRow) => void;
  random: (() => number) | undefined;
}

/** Does what a row asks for, outside of any transaction. The row is moved ahead first, and is gone only when it is through. */
export async function runJob(
  ctx: Ctx,
  { kind, ref }: DueRow,
  { job, report, random = Math.random }: Doing,
): Promise<void> {
  const even_expired = { even_expired: true };
  const taken = await transact(
    ctx,
    async (ctx) => {
      const row = await findDue(ctx.tx, { kind, ref, now: iso(ctx.now()) });
      if (!row) return undefined;
      const leased = { ...row, at: iso(ctx.now() + LEASE_MS) };
      await saveDue(ctx.tx, leased);
      return leased;
    },
    even_expired,
  );
  if (!taken) return;
  const { at, attempt, payload } = taken;
  const left = await job(ctx, {
    ref,
    at: Date.parse(at),
    payload: payload === null ? undefined : JSON.parse(payload),
    attempt,
  }).then(
    (again): DueRow | undefined => (again === undefined ? undefined : { ...taken, at: iso(again), attempt: 0 }),
    (error: unknown): DueRow => {
      report(error, taken);
      const pause = Math.min(LONGEST_PAUSE_MS, backoff(attempt + 1, random()));
      return { ...taken, at: iso(ctx.now() + pause), attempt: attempt + 1 };
    },
  );
  const settle = async (): Promise<void> =>
    transact(
      ctx,
      async (ctx) => {
        const row = await findDue(ctx.tx, { kind, ref, now: EVER });
        // Asked for anew meanwhile: then it is done anew.
        if (row?.at !== at) return;
        await (left ? saveDue(ctx.tx, left) : deleteDue(ctx.tx, { kind, ref }));
      },
      even_expired,
    );
  await settle();
}

const EVER = "9999-12-31T23:59:59.999Z";
const iso = (ms: number): string => new Date(ms).toISOString();
