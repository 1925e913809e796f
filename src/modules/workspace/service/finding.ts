import type { Ctx } from "../../../context.ts";
import { allOf, fold, matchOfMark, matchOfPart } from "../../../db/pieces.ts";
import { type Match, matchOf } from "../../../db/words.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import { fittingPage } from "../../../pages.ts";
import type { NewestNotes, Note, NoteList, ReadNotes } from "../schema.ts";
import * as store from "../store.ts";
import { tagMark } from "./noting.ts";

/** Notes that one statement looks at, and those that one call looks at altogether. */
const STEP = 200;
const MOST_SCANNED = 5000;
const MOST_NEWEST = 500;

/** Those that every condition fits, in the order they were made. */
export async function readNotes(ctx: Ctx, { newest, ...wanted }: ReadNotes): Promise<NoteList> {
  const { query = "", tag, words, limit, after_id } = wanted;
  if (newest && [wanted.query, tag, words, after_id].some((one) => one !== undefined))
    throw new ParleyError("INVALID_ARGUMENT", "newest goes with neither query, tag, words nor after_id.");
  if (newest) return listOf(await newestNotes(ctx, limit));
  const { space_id } = ctx.actor;
  const folded = fold(query);
  const match = conditionsOf(space_id, { folded, tag, words });
  if (match === "none") return { count: 0, notes: [], has_more: false, last_id: after_id ?? null };
  const found = await scan(ctx, { folded, match, after_id: after_id === undefined ? 0 : parseId(after_id), limit });
  const ids = found.rows.map(({ id }) => id);
  const notes = (ids.length > 0 ? await store.listNotes(ctx.db, { space_id, ids }) : []).map(wire);
  const last_id = found.last_id === 0 ? null : formatId(found.last_id);
  return { count: notes.length, notes, has_more: found.more, last_id };
}

const listOf = ({ notes, has_more }: NewestNotes): NoteList => ({
  count: notes.length,
  notes,
  has_more,
  last_id: notes.at(-1)?.id ?? null,
});

/** The newest, in the order they were made, and whether there are older ones. */
export async function newestNotes(ctx: Ctx, limit = MOST_NEWEST): Promise<NewestNotes> {
  const { space_id } = ctx.actor;
  const sizes = await store.listNewest(ctx.db, { space_id, limit: limit + 1 });
  const { shown, has_more } = fittingPage(sizes, limit);
  const ids = shown.map(({ id }) => id);
  const notes = ids.length > 0 ? await store.listNotes(ctx.db, { space_id, ids }) : [];
  return { notes: notes.map(wire), has_more };
}

interface Conditions {
  folded: string;
  tag: string | undefined;
  words: string | undefined;
}

/** What the index is asked for. Undefined where it cannot help, `none` where nothing can fit. */
function conditionsOf(space_id: string, { folded, tag, words = "" }: Conditions): Match | "none" | undefined {
  const matches: Match[] = [];
  if (tag !== undefined) matches.push(matchOfMark(tagMark(space_id, tag)));
  const part = matchOfPart(folded, space_id);
  if (part) matches.push(part);
  if (words.trim() !== "") {
    const match = matchOf(words, space_id);
    // Signs alone are no words: nothing has them.
    if (match === null) return "none";
    matches.push(match);
  }
  return matches.length > 0 ? allOf(matches) : undefined;
}

interface Scan {
  folded: string;
  match: Match | undefined;
  after_id: number;
  limit: number;
}

interface Found {
  rows: store.ScannedRow[];
  /** Everything up to here was looked at. */
  last_id: number;
  more: boolean;
}

/** Goes on until the page is full, nothing is left, or enough was looked at for one call. */
async function scan(ctx: Ctx, { limit, match, folded, after_id }: Scan): Promise<Found> {
  const { space_id } = ctx.actor;
  const rows: store.ScannedRow[] = [];
  let last_id = after_id;
  for (let scanned = 0; scanned < MOST_SCANNED; ) {
    const args = { space_id, folded, after_id: last_id, limit: Math.max(STEP, limit + 1 - rows.length) };
    const step = match ? await store.walkMatching(ctx.db, { ...args, ...match }) : await store.walkNotes(ctx.db, args);
    scanned += step.length;
    last_id = step.at(-1)?.id ?? last_id;
    rows.push(...step.filter(({ fits }) => fits === 1));
    const { shown, has_more } = fittingPage(rows, limit);
    const end = shown.at(-1);
    if (has_more && end) return { rows: shown, last_id: end.id, more: true };
    if (step.length < args.limit) return { rows, last_id, more: false };
  }
  return { rows, last_id, more: true };
}

/** What `addNote` wrote. */
const wire = ({ id, content, tags, links, author }: store.ShownNote): Note => ({
  id: formatId(id),
  content,
  tags: JSON.parse(tags) as Note["tags"],
  author,
  timestamp: timeOfId(id),
  links: JSON.parse(links) as Note["links"],
});
