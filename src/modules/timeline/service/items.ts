import type { Ctx } from "../../../context.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import { FROM_THE_TOP, fittingPage } from "../../../pages.ts";
import { type Message, readableInbox, readBefore, readSince, seesAll } from "../../chat/index.ts";
import { type Item, MOST_INLINE, type ReadTimeline, type TimelinePage } from "../schema.ts";
import * as store from "../store.ts";
import type { ItemRow } from "../tables.ts";
import { itemOf } from "./logging.ts";
import type { FoldItem } from "./reduce.ts";
import { idOrNull } from "./wire.ts";

/** Whose timeline: of an agent, or of the inbox that waits for the first one. */
export interface Whose {
  agent: string | undefined;
  inbox_id: number;
  principal_id: string | undefined;
}

export async function whose(ctx: Ctx, name: string | undefined): Promise<Whose> {
  const { inbox_id, agent } = await readableInbox(ctx, name);
  return { agent: agent?.name, inbox_id, principal_id: agent?.principal_id };
}

/** Whose of the streams of events the actor may follow: null for all. */
export async function streamsOf(ctx: Ctx, name: string | undefined): Promise<string[] | null> {
  return name === undefined && seesAll(ctx) ? null : [(await whose(ctx, name)).principal_id ?? ""];
}

/** What was said and what was done, merged by id. Of an agent that no runtime runs that is its chat. */
export async function readTimeline(ctx: Ctx, input: ReadTimeline): Promise<TimelinePage> {
  const of = await whose(ctx, input.agent);
  const { before_id, newest, changed_after, limit } = input;
  if (changed_after !== undefined) return readChanged(ctx, of, { changed_after, limit });
  if (before_id !== undefined || newest) return readBack(ctx, of, { before_id: before_id ?? null, limit });
  return readOn(ctx, of, { after_id: input.after_id ?? null, limit });
}

async function readOn(
  ctx: Ctx,
  { agent, principal_id }: Whose,
  { after_id, limit }: { after_id: string | null; limit: number },
): Promise<TimelinePage> {
  const chat = await readSince(ctx, { agent, after_id, limit });
  const from = after_id === null ? 0 : parseId(after_id);
  const where = { space_id: ctx.actor.space_id, principal_id: principal_id ?? "" };
  const ahead = await store.listItemsAfter(ctx.db, { ...where, after_id: from, limit: limit + 1 });
  const { shown: rows, has_more } = fittingItems(ahead, limit);
  // Behind the end of a page that goes on, something of the other kind may still be missing.
  const ends = [
    chat.has_more && chat.last_id !== null ? parseId(chat.last_id) : FROM_THE_TOP,
    has_more ? (rows.at(-1)?.id ?? FROM_THE_TOP) : FROM_THE_TOP,
  ];
  const all = merged(chat.messages, rows).filter(({ id }) => parseId(id) <= Math.min(...ends));
  const items = all.slice(0, limit);
  const last_id = items.at(-1)?.id ?? after_id;
  return { items, last_id, has_more: chat.has_more || has_more || all.length > limit };
}

/** The last items before a position. */
export async function readBack(
  ctx: Ctx,
  { agent, principal_id }: Whose,
  { before_id, limit }: { before_id: string | null; limit: number },
): Promise<TimelinePage> {
  const chat = await readBefore(ctx, { agent, before_id, limit });
  const before = before_id === null ? FROM_THE_TOP : parseId(before_id);
  const where = { space_id: ctx.actor.space_id, principal_id: principal_id ?? "" };
  const behind = await store.listItemsBefore(ctx.db, { ...where, before_id: before, limit: limit + 1 });
  const { shown: rows, has_more } = fittingItems(behind, limit);
  const begins = [chat.has_more ? parseId(chat.messages[0]?.id ?? "0") : 0, has_more ? (rows.at(-1)?.id ?? 0) : 0];
  const all = merged(chat.messages, rows.toReversed()).filter(({ id }) => parseId(id) >= Math.max(...begins));
  const items = all.slice(-limit);
  const last_id = items.at(-1)?.id ?? null;
  return { items, last_id, has_more: chat.has_more || has_more || all.length > limit };
}

/** What was made or has changed since, in that order. */
async function readChanged(
  ctx: Ctx,
  { agent, principal_id }: Whose,
  { changed_after, limit }: { changed_after: string; limit: number },
): Promise<TimelinePage> {
  const chat = await readSince(ctx, { agent, after_id: changed_after, limit });
  const where = { space_id: ctx.actor.space_id, principal_id: principal_id ?? "" };
  const ahead = await store.listItemsChanged(ctx.db, { ...where, after_id: parseId(changed_after), limit: limit + 1 });
  const { shown: rows, has_more } = fittingItems(ahead, limit);
  const ends = [
    chat.has_more && chat.last_id !== null ? parseId(chat.last_id) : FROM_THE_TOP,
    has_more ? (rows.at(-1)?.changed_id ?? FROM_THE_TOP) : FROM_THE_TOP,
  ];
  const all = changed(chat.messages, rows).filter(({ at }) => at <= Math.min(...ends));
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ item }) => item),
    last_id: last ? formatId(last.at) : changed_after,
    has_more: chat.has_more || has_more || all.length > limit,
  };
}

/** What was said and what was done, each with where it became what it is, in that order. */
export function changed(messages: readonly Message[], rows: readonly ItemRow[]): { at: number; item: Item }[] {
  const done = rows.map((row) => ({ at: row.changed_id, item: wireItem(itemOf(row)) }));
  const spoken = messages.map((message) => ({ at: parseId(message.id), item: messageItem(message) }));
  return [...done, ...spoken].sort((a, b) => a.at - b.at);
}

const fittingItems = (rows: readonly ItemRow[], limit: number): { shown: ItemRow[]; has_more: boolean } =>
  fittingPage(
    rows.map((row) => ({ ...row, bytes: row.body.length })),
    limit,
  );

/** Both are in the order of their ids, which are as long as each other. */
function merged(messages: readonly Message[], rows: readonly ItemRow[]): Item[] {
  const items = [...messages.map(messageItem), ...rows.map((row) => wireItem(itemOf(row)))];
  return items.sort((a, b) => parseId(a.id) - parseId(b.id));
}

const messageItem = ({ id, ts, author, author_principal, mime, content }: Message): Item => ({
  ...{ id, ts, kind: author === "user" ? "UserMessage" : "AssistantMarkdown" },
  ...{ content, mime, author_principal },
});

export function wireItem(item: FoldItem): Item {
  const { id: at, key: _, changed_id, ...rest } = item;
  const common = { id: formatId(at), ts: timeOfId(at) };
  if (rest.kind === "Tool") {
    const { ended_id, decided_id, turn_id, ...call } = rest;
    const cut_parts = (["arguments", "output"] as const).filter((part) => isCut(call[part]));
    const took = { duration_ms: lasted(at, ended_id), waited_ms: lasted(at, decided_id) };
    const told = { ...common, ...call, turn_id: idOrNull(turn_id), ...took };
    return cut_parts.length > 0 ? { ...told, cut_parts } : told;
  }
  if (rest.kind === "EndTurn") {
    const { turn_id } = rest;
    return { ...common, ...rest, turn_id: idOrNull(turn_id), duration_ms: lasted(turn_id, rest.outcome && changed_id) };
  }
  return { ...common, ...rest };
}

const isCut = (text: string | null): boolean => text !== null && text.length >= MOST_INLINE && text.endsWith("…");

/** Ids are times, in microseconds. */
const lasted = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : Math.round((to - from) / 1000);
