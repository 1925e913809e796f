import { z } from "zod";
import { type Ctx, type TxCtx, transact } from "../context.ts";
import { HUB_SPACE, MAIN_SPACE } from "../db/open.ts";
import type { DueHandler } from "../module.ts";
import { move, plan } from "./plan.ts";
import { findPlannedFor, listTeamSpaces, savePlannedFor } from "./store.ts";

const OPEN = "space.open";
const SPREAD = "due.spread";
/** As many spaces as one transaction sees to. */
const SPACES = 100;
const Spread = z.object({ after: z.string() });

/** Has what happens by itself in a space planned there, in a transaction of that space. */
export const openSpace = (ctx: TxCtx, space_id: string): Promise<void> =>
  plan(ctx, { kind: OPEN, ref: 0, at: ctx.now(), space_id });

interface Anew {
  /** Plans what happens by itself in the transaction's space. */
  begin: (ctx: TxCtx) => Promise<void>;
  /** What that depends on, such as the days that things are kept. */
  planned_for: string;
}

/**
 * Has it planned anew in every space if what it was planned for has changed: at once in those that are always there. A
 * start with the same costs one read, however many spaces there are; one with another waits for none of the rest.
 */
export async function planAnew(ctx: (space_id: string) => Ctx, { begin, planned_for }: Anew): Promise<void> {
  if ((await findPlannedFor(ctx(HUB_SPACE).db)) === planned_for) return;
  await transact(ctx(MAIN_SPACE), begin);
  await transact(ctx(HUB_SPACE), async (ctx) => {
    await begin(ctx);
    await savePlannedFor(ctx.tx, planned_for);
    if ((await listTeamSpaces(ctx.tx, { after: "", limit: 1 })).length > 0)
      await move(ctx, { kind: SPREAD, ref: 0, at: ctx.now(), payload: { after: "" } });
  });
}

export const planningDue = (begin: (ctx: TxCtx) => Promise<void>): Record<string, DueHandler> => ({
  [OPEN]: begin,
  [SPREAD]: async (ctx, { payload }) => {
    const { after } = Spread.parse(payload);
    const spaces = await listTeamSpaces(ctx.tx, { after, limit: SPACES });
    for (const space_id of spaces) await openSpace(ctx, space_id);
    const last = spaces.at(-1);
    if (last !== undefined && spaces.length === SPACES)
      await plan(ctx, { kind: SPREAD, ref: 0, at: ctx.now(), payload: { after: last } });
  },
});
