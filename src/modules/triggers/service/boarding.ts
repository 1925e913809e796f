import type { Ctx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import type { LookAtTriggers, TriggerBoard } from "../schema.ts";
import * as store from "../store.ts";

/** A line of each, without what it asks: a page lists hundreds. */
export async function board(ctx: Ctx, { limit }: LookAtTriggers): Promise<TriggerBoard> {
  const { space_id } = ctx.actor;
  const rows = await store.listTriggerLines(ctx.db, { space_id, limit });
  const triggers = rows.map(({ id, enabled, ...row }) => ({ ...row, id: formatId(id), enabled: enabled === 1 }));
  const total = rows.length < limit ? rows.length : await store.countTriggers(ctx.db, space_id);
  return { triggers, total };
}
