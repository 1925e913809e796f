import { type Ctx, transact } from "../../../context.ts";
import { checkPosition, findWatermark, listWatermarks, saveWatermark } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { addressed, agentsHere } from "../../identity/index.ts";
import type { MarkRead, ReadMark, ReadMarks } from "../schema.ts";
import { TOPIC } from "./events.ts";
import { readableInbox } from "./inboxes.ts";

/** The caller has read up to that message. A mark that is further on already stays where it is. */
export function markRead(ctx: Ctx, { agent: name, id }: MarkRead): Promise<ReadMark> {
  return transact(ctx, async (ctx) => {
    const { inbox_id, agent } = await readableInbox(ctx, name);
    const mark = { subscriber_id: ctx.actor.subscriber_id, topic: TOPIC, stream: formatId(inbox_id) };
    const read_id = parseId(id);
    await checkPosition(ctx, { topic: mark.topic, stream: mark.stream, after_id: read_id });
    const had_id = await findWatermark(ctx.tx, { ...mark, space_id: ctx.tx.space_id });
    const is_further = had_id === undefined || read_id > had_id;
    if (is_further)
      await saveWatermark(ctx.tx, { ...mark, last_id: read_id, updated_at: new Date(ctx.now()).toISOString() });
    return { agent: agent?.name ?? null, read_id: formatId(is_further ? read_id : had_id) };
  });
}

/** Up to where the caller has read, in every chat where there is a mark of theirs. */
export async function readMarks(ctx: Ctx): Promise<ReadMarks> {
  const { space_id, subscriber_id } = ctx.actor;
  const known = await listWatermarks(ctx.db, { space_id, subscriber_id, topic: TOPIC });
  const marks = new Map(known.map(({ stream, last_id }) => [stream, formatId(last_id)]));
  const first = await addressed(ctx, undefined);
  const waiting = first.agent === null ? [{ name: null, inbox_id: first.inbox_id }] : [];
  const found = [...waiting, ...(await agentsHere(ctx))].map(({ name, inbox_id }) => {
    const read_id = marks.get(formatId(inbox_id));
    return read_id === undefined ? [] : [{ agent: name, read_id }];
  });
  return { marks: found.flat() };
}
