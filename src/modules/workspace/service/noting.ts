import type { Row } from "../../../archive/index.ts";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { fold, piecesOf } from "../../../db/pieces.ts";
import { tokenOf, wordsOf } from "../../../db/words.ts";
import { toColumns } from "../../../feed/index.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { type AddedNote, type AddNote, MOST_NOTE_BYTES } from "../schema.ts";
import * as store from "../store.ts";
import { tellNote } from "./events.ts";
import { authorOf, checkBytes } from "./wire.ts";

export function addNote(ctx: Ctx, { content, tags: given, links }: AddNote): Promise<AddedNote> {
  const bytes = checkBytes(content, MOST_NOTE_BYTES, "A note");
  const tags = [...new Set(given)];
  return transact(ctx, async (ctx) => {
    const author = await authorOf(ctx);
    const id = ctx.tx.takeId();
    const folded = fold(content);
    const texts = { content, folded, tags: JSON.stringify(tags), links: JSON.stringify(links) };
    await Promise.all([
      store.insertNote(ctx.tx, { id, ...author, ...texts, bytes, ...toColumns(ctx.cause) }),
      store.countTags(ctx.tx, tags),
      tellNote(ctx, { id, author: author.author, tags, content }),
    ]);
    index(ctx, { id, content, folded, tags });
    return { id: formatId(id), tags, author: author.author, timestamp: timeOfId(id), links };
  });
}

/** The words of a note that an archive held: an index is in none. */
export async function reindexNote(ctx: TxCtx, { id, content, folded, tags }: Row): Promise<void> {
  // What `addNote` wrote.
  const own = JSON.parse(String(tags)) as string[];
  index(ctx, { id: Number(id), content: String(content), folded: String(folded), tags: own });
}

interface Indexed {
  id: number;
  content: string;
  folded: string;
  tags: readonly string[];
}

function index(ctx: TxCtx, { id, content, folded, tags }: Indexed): void {
  const { space_id } = ctx.tx;
  const marks = [...tags.map((tag) => tagMark(space_id, tag)), ...piecesOf(folded, space_id)];
  const words = wordsOf({ id, space_id }, content, { readers: [space_id], marks });
  // At the end: FTS5 writes a piece of its index whenever an operation of the batch is over.
  ctx.tx.atEnd((tx) => store.insertNoteWords(tx, words));
}

/** By which the notes with a tag are found. */
export const tagMark = (space_id: string, tag: string): string => tokenOf(`${space_id} tag ${tag}`);
