import type { TxCtx } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { insertPurge } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";

const PURGE = "chat.purge";
const DAY_MS = 24 * 3600 * 1000;

/** Has chat older than so many days removed from the transaction's space, as soon as there is any; 0 keeps it for ever. */
export async function planPurge(ctx: TxCtx, days: number): Promise<void> {
  // Planned for another number of days, it would go on for ever beside this one.
  await unplan(ctx, { kind: PURGE });
  if (days === 0) return;
  const oldest = await store.findOldest(ctx.tx, ctx.tx.space_id);
  const from = oldest === null ? ctx.now() : oldest / 1000;
  // A millisecond later: ids within one are told apart, its time is not.
  await plan(ctx, { kind: PURGE, ref: days, at: Math.floor(from) + 1 + days * DAY_MS });
}

/** The row's `ref` is the number of days. */
export const chatDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx, { ref: days }) => {
    const { space_id } = ctx.tx;
    const before_id = (ctx.now() - days * DAY_MS) * 1000;
    for (const { inbox_id, last_id } of await store.listInboxesBefore(ctx.tx, { space_id, before_id })) {
      await store.deleteMessagesUpTo(ctx.tx, { inbox_id, last_id });
      await insertPurge(ctx.tx, { topic: "chat", stream: formatId(inbox_id), purged_id: last_id });
    }
    await planPurge(ctx, days);
  },
};
