import type { Ctx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import { readBefore, readSince } from "../../chat/index.ts";
import { type Item, MOST_INLINE, type Turn } from "../schema.ts";
import * as store from "../store.ts";
import { changed, readBack, type Whose } from "./items.ts";
import { wireTurn } from "./status.ts";

/** So many items a snapshot holds at most, the newest, and so many bytes. */
const SNAPSHOT_ITEMS = 200;
const MOST_BYTES = 128 * 1024;
/** More than this is told by a snapshot. */
const MOST_REPLAYED = 500;

export interface State {
  agent: string | null;
  /** The turn that runs, or the last one. */
  run: Turn | null;
  /** The newest, oldest first. */
  items: Item[];
  /** Whether there are items before the first of them: timeline_read gives them. */
  has_more: boolean;
}

const whereOf = (ctx: Ctx, { principal_id = "" }: Whose) => ({ space_id: ctx.actor.space_id, principal_id });

/**
 * Up to which position a state that is read after this is complete. On either database what has a smaller id is visible
 * by then: ids are given out in the order of the commits.
 */
export async function positionOf(ctx: Ctx, of: Whose): Promise<number> {
  const [changed] = await store.listNewestChanges(ctx.db, { ...whereOf(ctx, of), limit: 1 });
  const turn = await store.findLastTurn(ctx.db, whereOf(ctx, of));
  const { last_id } = await readBefore(ctx, { agent: of.agent, before_id: null, limit: 1 });
  return Math.max(changed?.changed_id ?? 0, turn?.id ?? 0, last_id === null ? 0 : parseId(last_id));
}

export async function snapshot(ctx: Ctx, of: Whose): Promise<State> {
  const { items, has_more } = await readBack(ctx, of, { before_id: null, limit: SNAPSHOT_ITEMS });
  const shown = newestFitting(items.map(shortened));
  return {
    agent: of.agent ?? null,
    run: await runOf(ctx, of),
    items: shown,
    has_more: has_more || shown.length < items.length,
  };
}

export async function runOf(ctx: Ctx, of: Whose): Promise<Turn | null> {
  const turn = await store.findLastTurn(ctx.db, whereOf(ctx, of));
  return turn ? wireTurn(turn) : null;
}

/** What was made or has changed after one position and up to another, in that order; undefined where that is too much to tell one by one. */
export async function changesSince(
  ctx: Ctx,
  of: Whose,
  { after, up_to }: { after: number; up_to: number },
): Promise<Item[] | undefined> {
  const limit = MOST_REPLAYED + 1;
  const rows = await store.listItemsChanged(ctx.db, { ...whereOf(ctx, of), after_id: after, limit });
  const chat = await readSince(ctx, {
    agent: of.agent,
    after_id: after === 0 ? null : formatId(after),
    limit: MOST_REPLAYED,
  });
  if (rows.length === limit || chat.has_more) return undefined;
  const all = changed(chat.messages, rows).filter(({ at }) => at <= up_to);
  return all.length > MOST_REPLAYED ? undefined : all.map(({ item }) => shortened(item));
}

/** What is long is told by its beginning: timeline_read and chat_read_since have the whole. */
function shortened(item: Item): Item & { cut?: true } {
  if (!("content" in item) || item.content.length <= MOST_INLINE) return item;
  return { ...item, content: cut(item.content, MOST_INLINE), cut: true };
}

function newestFitting(items: readonly Item[]): Item[] {
  let left = MOST_BYTES;
  const from = items.findLastIndex((item) => {
    left -= sizeOf(item);
    return left < 0;
  });
  return items.slice(from + 1);
}

/** In pieces that are each small enough to be sent at once. */
export function pieces(items: readonly Item[]): Item[][] {
  const made: Item[][] = [[]];
  let left = MOST_BYTES;
  for (const item of items) {
    left -= sizeOf(item);
    if (left < 0 && made.at(-1)?.length !== 0) {
      made.push([]);
      left = MOST_BYTES - sizeOf(item);
    }
    made.at(-1)?.push(item);
  }
  return made;
}

const sizeOf = (item: Item): number => Buffer.byteLength(JSON.stringify(item));
