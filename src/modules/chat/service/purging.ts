import type { TxCtx } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { insertPurge, PURGE_SLICE, purgeAt, purgeBefore } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";

const PURGE = "chat.purge";

/** Has chat older than so many days removed from the transaction's space, within the hour; 0 keeps it for ever. */
export async function planPurge(ctx: TxCtx, days: number): Promise<void> {
  // Planned for another number of days, it would go on for ever beside this one.
  await unplan(ctx, { kind: PURGE });
  if (days === 0) return;
  const oldest_id = await store.findOldest(ctx.tx, ctx.tx.space_id);
  await plan(ctx, { kind: PURGE, ref: days, at: purgeAt(ctx, { oldest_id, days }) });
}

/** The row's `ref` is the number of days. */
export const chatDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx, { ref: days }) => {
    const inboxes = await store.listOldestByInbox(ctx.tx, { before_id: purgeBefore(ctx, days), limit: PURGE_SLICE });
    for (const { inbox_id, last_id } of inboxes) {
      await store.deleteMessagesUpTo(ctx.tx, { inbox_id, last_id });
      await insertPurge(ctx.tx, { topic: "chat", stream: formatId(inbox_id), purged_id: last_id });
    }
    await planPurge(ctx, days);
  },
};
