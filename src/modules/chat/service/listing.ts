import type { Ctx } from "../../../context.ts";
import { listWatermarks } from "../../../feed/index.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { agentsHere } from "../../identity/index.ts";
import { type ChatList, LINE } from "../schema.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

/** Every agent's chat with how its last message begins and up to where the caller has read: one read for a whole list. */
export async function list(ctx: Ctx): Promise<ChatList> {
  const { space_id, subscriber_id } = ctx.actor;
  const [agents, lasts, known] = await Promise.all([
    agentsHere(ctx),
    store.listLasts(ctx.db, { space_id, most: LINE }),
    listWatermarks(ctx.db, { space_id, subscriber_id, topic: TOPIC }),
  ]);
  const lastOf = new Map(lasts.map((row) => [row.inbox_id, row]));
  const marks = new Map(known.map(({ stream, last_id }) => [stream, formatId(last_id)]));
  const chats = agents.map(({ name, inbox_id }) => {
    const last = lastOf.get(inbox_id);
    return {
      agent: name,
      last: last ? { id: formatId(last.id), ts: timeOfId(last.id), author: last.author, line: last.line } : null,
      read_id: marks.get(formatId(inbox_id)) ?? null,
    };
  });
  return { chats };
}
