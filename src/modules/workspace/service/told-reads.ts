/**
 * That somebody has read a section is told to whoever follows the draft: after they were answered, and within a second once.
 * It is a hint. Reading writes nothing, and waits for nothing that is written.
 */
import { type Ctx, transact } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { tellRead } from "./events.ts";
import { readerOf } from "./wire.ts";

const ONCE_MS = 1000;
/** Of whom it is remembered when they were told of; beyond, nobody is told. */
const MOST_REMEMBERED = 10_000;

/** By space, reader and section: until when nothing more is told of it. */
const remembered = new WeakMap<Database, Map<string, number>>();

export async function noteReading(ctx: Ctx, section_ids: readonly string[]): Promise<void> {
  const { afterwards } = ctx;
  if (!afterwards) return;
  const reader = await readerOf(ctx);
  const fresh = freshOf(ctx, reader, section_ids);
  if (fresh.length > 0) afterwards(() => transact(ctx, (ctx) => tellRead(ctx, reader, fresh)));
}

function freshOf({ database, actor, now }: Ctx, reader: string, section_ids: readonly string[]): string[] {
  const known = remembered.get(database) ?? new Map<string, number>();
  remembered.set(database, known);
  const moment = now();
  const keyOf = (section_id: string): string => JSON.stringify([actor.space_id, reader, section_id]);
  const fresh = section_ids.filter((section_id) => (known.get(keyOf(section_id)) ?? 0) <= moment);
  if (known.size + fresh.length > MOST_REMEMBERED)
    for (const [key, until] of known) if (until <= moment) known.delete(key);
  const told = fresh.slice(0, Math.max(0, MOST_REMEMBERED - known.size));
  for (const section_id of told) known.set(keyOf(section_id), moment + ONCE_MS);
  return told;
}
