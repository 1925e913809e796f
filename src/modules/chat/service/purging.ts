import type { TxCtx } from "../../../context.ts";
import { unplan } from "../../../due/index.ts";
import { insertPurge, PURGE_SLICE, purgeAt, purgeBefore, replan } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import * as store from "../store.ts";

const PURGE = "chat.purge";

/** Has chat older than so many days removed from the transaction's space, within the hour; 0 keeps it for ever. */
export async function planPurge(ctx: TxCtx, days: number): Promise<void> {
  if (days === 0) return unplan(ctx, { kind: PURGE });
  const oldest_id = await store.findOldest(ctx.tx, ctx.tx.space_id);
  await replan(ctx, { kind: PURGE, at: purgeAt(ctx, { oldest_id, days }) });
}

export const chatDue: Record<string, DueHandler> = {
  [PURGE]: async (ctx, _due, { chat_days: days }) => {
    // Kept for ever since it was planned.
    if (days === 0) return;
    const inboxes = await store.listOldestByInbox(ctx.tx, { before_id: purgeBefore(ctx, days), limit: PURGE_SLICE });
    for (const { inbox_id, last_id } of inboxes) {
      await store.deleteMessagesUpTo(ctx.tx, { inbox_id, last_id });
      await insertPurge(ctx.tx, { topic: "chat", stream: formatId(inbox_id), purged_id: last_id });
    }
    await planPurge(ctx, days);
  },
};
