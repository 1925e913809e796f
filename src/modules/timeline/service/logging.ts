import type { TxCtx } from "../../../context.ts";
import { cut } from "../../../text.ts";
import type { AgentRow } from "../../identity/index.ts";
import { MOST_INLINE } from "../schema.ts";
import * as store from "../store.ts";
import type { ItemRow } from "../tables.ts";
import { type Entry, type EntryBody, LONG } from "./entries.ts";
import { tellLogged } from "./events.ts";
import { type FoldItem, itemAfter, keyOf } from "./reduce.ts";

export type NewEntry = EntryBody & { key: string; turn_id: number | null };

/**
 * Appends to the log of an agent, tells the feed of each, and takes them into what people see: all of it in the
 * transaction it is called in. Returns their ids.
 */
export async function log(
  ctx: TxCtx,
  agent: Pick<AgentRow, "principal_id" | "name">,
  news: readonly NewEntry[],
): Promise<number[]> {
  const entries = news.map((entry) => stored(ctx, entry));
  const { principal_id } = agent;
  await store.insertEvents(
    ctx.tx,
    entries.map(({ entry, key, body, bytes }) => ({
      ...{ id: entry.id, principal_id, turn_id: entry.turn_id, type: entry.type, key },
      ...{ body, bytes },
    })),
  );
  for (const { entry, text } of entries)
    if (text !== undefined) await store.insertEventText(ctx.tx, { id: entry.id, text });
  await tellLogged(
    ctx,
    agent,
    entries.map(({ entry }) => entry),
  );
  for (const { entry } of entries) await takeIn(ctx, principal_id, entry);
  return entries.map(({ entry }) => entry.id);
}

interface Stored {
  entry: Entry;
  key: string;
  body: string;
  bytes: number;
  /** The whole of a text of which the entry has the beginning. */
  text: string | undefined;
}

function stored(ctx: TxCtx, { key, turn_id, ...written }: NewEntry): Stored {
  const id = ctx.tx.takeId();
  const long = LONG[written.type];
  const whole = long === undefined ? undefined : Object.entries(written).find(([name]) => name === long)?.[1];
  const isLong = typeof whole === "string" && whole.length > MOST_INLINE;
  // One field of it is shorter, and none is another.
  const short = (isLong && long !== undefined ? { ...written, [long]: cut(whole, MOST_INLINE) } : written) as EntryBody;
  const { type, ...fields } = short;
  const body = JSON.stringify(fields);
  const bytes = Buffer.byteLength(isLong ? whole : body);
  const entry = { ...short, id, turn_id: type === "TurnStarted" ? id : turn_id };
  return { entry, key, body, bytes, text: isLong ? whole : undefined };
}

/** One step of the fold, as rows: what was said stands in the chat already. */
async function takeIn(ctx: TxCtx, principal_id: string, entry: Entry): Promise<void> {
  const key = keyOf(entry);
  if (key === undefined || entry.type === "UserText") return;
  const row = await store.findItem(ctx.tx, { principal_id, key });
  const item = itemAfter(row && itemOf(row), entry);
  if (item) await store.saveItem(ctx.tx, rowOf(principal_id, item));
}

const rowOf = (principal_id: string, { id, key, kind, changed_id, ...fields }: FoldItem): ItemRow => ({
  ...{ id, principal_id, kind, key, changed_id },
  body: JSON.stringify(fields),
});

/** Of a call that was noted before approvals were told, nothing but its output has changed it; people called none, and when they decided is not known. */
const unasked = (changed_id: number) => ({
  called_by: null,
  approval: null,
  decided_id: null,
  ended_id: changed_id,
});

/** Written by `rowOf`. */
export const itemOf = ({ id, key, kind, changed_id, body }: ItemRow): FoldItem =>
  ({ id, key, kind, changed_id, ...(kind === "Tool" && unasked(changed_id)), ...JSON.parse(body) }) as FoldItem;
