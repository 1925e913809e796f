import type { Ctx } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Explainer } from "../../../module.ts";
import { findSelf } from "../../identity/index.ts";
import { LINE } from "../schema.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";
import { seesAll } from "./inboxes.ts";

/** Messages are kept for longer than the feed, and what led to them with them. */
export const chatExplains: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const message = await store.findFirstLine(ctx.db, { space_id: ctx.actor.space_id, id, most: LINE });
    if (!message) return undefined;
    const { by, line: text } = message;
    const shown = (await seesInbox(ctx, formatId(message.inbox_id))) ? { kind: "message", by, text } : null;
    return { shown, cause: fromColumns(message) };
  },
  sees: (ctx, { stream }) => seesInbox(ctx, stream),
};

async function seesInbox(ctx: Ctx, stream: string): Promise<boolean> {
  if (seesAll(ctx)) return true;
  const own = await findSelf(ctx);
  return own !== undefined && formatId(own.inbox_id) === stream;
}
