import { type Ctx, has, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { checkPosition, findWatermark, saveWatermark } from "../../../feed/index.ts";
import { formatId, parseId, parsePosition, timeOfId } from "../../../ids.ts";
import { fitting, fittingPage, startOf } from "../../../pages.ts";
import { checkSubscriber } from "../../identity/index.ts";
import type { AdvancedPage, Inbox, Message, Page, ReadAndAdvance, ReadBefore, ReadSince } from "../schema.ts";
import * as store from "../store.ts";
import type { MessageRow } from "../tables.ts";
import { TOPIC } from "./events.ts";
import { type OpenInbox, readableInbox } from "./inboxes.ts";

const INBOX_MESSAGES = 200;

/** The next messages after a position. Moves nothing: the same question has the same answer. */
export async function readSince(ctx: Ctx, { after_id, limit, agent }: ReadSince): Promise<Page> {
  const from = after_id ? parsePosition(after_id) : null;
  return read(ctx, await readableInbox(ctx, agent), { after_id: from, limit });
}

/**
 * The next messages after the caller's mark, which then stands at the last one returned. From a position that they name
 * instead, up to which they have read; then a mark that is further on stays where it is.
 */
export function readAndAdvance(ctx: Ctx, input: ReadAndAdvance): Promise<AdvancedPage> {
  const { limit, agent, subscriber, after_id: named } = input;
  if (subscriber !== undefined && !has(ctx.actor, "admin"))
    throw new ParleyError("FORBIDDEN", "Only admin may name a subscriber; yours is the one of your token.");
  return transact(ctx, async (ctx) => {
    const inbox = await readableInbox(ctx, agent);
    if (subscriber !== undefined) await checkSubscriber(ctx, subscriber);
    const subscriber_id = subscriber ?? ctx.actor.subscriber_id;
    const mark = { subscriber_id, topic: TOPIC, stream: formatId(inbox.inbox_id) };
    const had_id = (await findWatermark(ctx.tx, { ...mark, space_id: ctx.tx.space_id })) ?? null;
    const page: AdvancedPage =
      named === undefined
        ? await readBehind(ctx, inbox, { after_id: had_id, limit })
        : await read(ctx, inbox, { after_id: parsePosition(named), limit });
    const last_id = page.last_id === null ? null : parseId(page.last_id);
    if (last_id !== null && (had_id === null || last_id > had_id || (page.gap && page.messages.length > 0)))
      await saveWatermark(ctx.tx, { ...mark, last_id, updated_at: new Date(ctx.now()).toISOString() });
    return page;
  });
}

/** Nobody can set the mark by hand: told that there is a gap, its owner goes on behind it. */
function readBehind(ctx: Ctx, inbox: OpenInbox, position: Position): Promise<AdvancedPage> {
  return read(ctx, inbox, position).catch((error: unknown) => {
    if (!(error instanceof ParleyError && error.code.startsWith("WATERMARK"))) throw error;
    const first_id = error.details?.first_id;
    const after_id = typeof first_id === "string" ? parseId(first_id) : null;
    return read(ctx, inbox, { ...position, after_id }).then((page) => ({ ...page, gap: true }));
  });
}

/** The last messages before a position, oldest first. Whoever opens a long chat begins at its end. */
export async function readBefore(ctx: Ctx, { before_id, limit, agent }: ReadBefore): Promise<Page> {
  const { inbox_id } = await readableInbox(ctx, agent);
  const where = { space_id: ctx.actor.space_id, inbox_id };
  const behind = await store.listSizesBefore(ctx.db, { ...where, before_id: startOf(before_id), limit: limit + 1 });
  const { shown, has_more } = fittingPage(behind, limit);
  return { ...(await newest(ctx, where, shown)), has_more, epoch: ctx.database.epoch };
}

/** The newest messages, as many as fit, oldest first. */
export async function inbox(ctx: Ctx, agent: string | undefined): Promise<Inbox> {
  const { inbox_id } = await readableInbox(ctx, agent);
  const where = { space_id: ctx.actor.space_id, inbox_id };
  return newest(ctx, where, fitting(await store.listNewestSizes(ctx.db, { ...where, limit: INBOX_MESSAGES })));
}

/** Those messages, given newest first, returned oldest first. */
async function newest(
  ctx: Ctx,
  where: { space_id: string; inbox_id: number },
  sizes: readonly { id: number }[],
): Promise<Inbox> {
  const [last] = sizes;
  const first = sizes.at(-1);
  if (!last || !first) return { last_id: null, messages: [] };
  const rows = await store.listMessages(ctx.db, { ...where, first_id: first.id, last_id: last.id });
  return { last_id: formatId(last.id), messages: rows.map(wire) };
}

interface Position {
  after_id: number | null;
  limit: number;
}

async function read(ctx: Ctx, inbox: OpenInbox, position: Position): Promise<Page> {
  const page = await readOn(ctx, inbox, position);
  const { after_id } = position;
  // Afterwards: what was purged while we were reading would otherwise be a silent gap.
  if (after_id !== null) await checkPosition(ctx, { topic: TOPIC, stream: formatId(inbox.inbox_id), after_id });
  return page;
}

async function readOn(ctx: Ctx, { inbox_id }: OpenInbox, { after_id, limit }: Position): Promise<Page> {
  const { epoch } = ctx.database;
  const where = { space_id: ctx.actor.space_id, inbox_id };
  const ahead = await store.listSizesAfter(ctx.db, { ...where, after_id: after_id ?? 0, limit: limit + 1 });
  const { shown, has_more } = fittingPage(ahead, limit);
  const last = shown.at(-1);
  if (!last) return { messages: [], last_id: after_id === null ? null : formatId(after_id), has_more, epoch };
  const first_id = shown[0]?.id ?? last.id;
  const rows = await store.listMessages(ctx.db, { ...where, first_id, last_id: last.id });
  return { messages: rows.map(wire), last_id: formatId(last.id), has_more, epoch };
}

const wire = ({ id, author, author_principal, mime, content }: MessageRow): Message => ({
  id: formatId(id),
  ts: timeOfId(id),
  author,
  author_principal,
  mime,
  content,
});
