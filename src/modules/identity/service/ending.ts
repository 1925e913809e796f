import { z } from "zod";
import { type Header, writeArchive } from "../../../archive/index.ts";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { MIGRATIONS } from "../../../db/migrations/index.ts";
import { HUB_SPACE, MAIN_SPACE } from "../../../db/open.ts";
import { move, plan } from "../../../due/index.ts";
import type { DueHandler, DueJob } from "../../../module.ts";
import { purgeAt } from "../../../retention.ts";
import * as store from "../store.ts";
import { tellSpaceEnded, tellUnarchived } from "./events.ts";
import { planForgettingSpace } from "./forgetting-spaces.ts";
import { EMPTY } from "./spaces.ts";

const ARCHIVE = "space.archive";
const TIDY = "space.tidy";
/** As many rows of a long table as one transaction removes. */
const SLICE = 2000;
const Payload = z.object({ archived: z.boolean() });
/** Nothing of it is to be kept, or it is. */
export const ARCHIVED = { archived: true } satisfies z.infer<typeof Payload>;

/**
 * The end of a space. First what it held is written to a file, by one node and outside the transaction; only when that is
 * on disk is it removed, in slices. The space's row stays for a while, to answer that it is gone (`forgetting-spaces.ts`).
 */
export const spaceDue: Record<string, DueHandler> = {
  [EMPTY]: async (ctx, { payload }, config) => {
    const { archived } = Payload.parse(payload ?? { archived: config.archive_dir === undefined });
    // Whose time came is told to nobody else: what is open in it ends here.
    if (payload === undefined) await tellSpaceEnded(ctx);
    if (archived) return empty(ctx);
    await plan(ctx, { kind: ARCHIVE, ref: 0, at: ctx.now() });
  },
};

export const spaceJobs: Record<string, DueJob> = {
  [ARCHIVE]: async (ctx, { attempt, renew }) => {
    const folder = ctx.config.archive_dir;
    const record = (ctx: TxCtx): Promise<void> => move(ctx, { kind: EMPTY, ref: 0, at: ctx.now(), payload: ARCHIVED });
    // It was turned off since.
    if (folder === undefined) return { record };
    try {
      await writeArchive(ctx, { folder, header: await headerOf(ctx), tables: ctx.contents.archived, renew });
    } catch (error) {
      if (attempt === 0) await tell(ctx);
      throw error;
    }
    return { record };
  },
  [TIDY]: async (ctx) => {
    await ctx.database.tidy();
    return {};
  },
};

async function empty(ctx: TxCtx): Promise<void> {
  const { tables, long_tables } = ctx.contents;
  for (const table of long_tables)
    if ((await store.deleteOldestRows(ctx.tx, { table, limit: SLICE })) === SLICE)
      return plan(ctx, { kind: EMPTY, ref: 0, at: ctx.now(), payload: ARCHIVED });
  for (const table of tables) await store.deleteRows(ctx.tx, table);
  await store.emptySpace(ctx.tx, { id: ctx.tx.space_id, emptied_at: new Date(ctx.now()).toISOString() });
  await planForgettingSpace(ctx);
  // Once a day, however many end in it.
  await plan(ctx, { kind: TIDY, ref: 0, at: purgeAt(ctx, { oldest_id: null, days: 1 }), space_id: HUB_SPACE });
}

async function headerOf(ctx: Ctx): Promise<Header> {
  const space = await store.findCounter(ctx.db, ctx.actor.space_id);
  if (!space) throw new Error(`there is no space ${ctx.actor.space_id}`);
  const { id, expires_at, ...rest } = space;
  const ended_at = expires_at ?? new Date(ctx.now()).toISOString();
  return { parley_archive: 1, space: id, ended_at, schema_version: MIGRATIONS.length, ...rest };
}

/** People of the permanent space run the hub: they are told that one could not be kept, and is not removed. */
async function tell(ctx: Ctx): Promise<void> {
  const elsewhere = { ...ctx, actor: { ...ctx.actor, space_id: MAIN_SPACE } };
  await transact(elsewhere, (there) => tellUnarchived(there, ctx.actor.space_id));
}
