import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Match, Words } from "../../../db/words.ts";
import type { NoteRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<NoteRow & In>(
  `insert into notes (space_id, id, author, author_id, by_principal_id, content, folded, tags, links, bytes, cause, cause_how)
   values (:space_id, :id, :author, :author_id, :by_principal_id, :content, :folded, :tags, :links, :bytes, :cause, :cause_how)`,
);
export const insertNote = (tx: Tx, row: NoteRow): Promise<void> => tx.run(insert, { ...row, space_id: tx.space_id });

const insertWord = statement<Words & In & { id: number }>(
  // Not from a select: that could be many rows, before and after which FTS5 writes to the disk what it has collected.
  `insert into note_words (rowid, words, readers)
   values ((select seq from notes where space_id = :space_id and id = :id), :words, :readers)`,
  `insert into note_words (seq, words)
   values ((select seq from notes where space_id = :space_id and id = :id), cast(:vector as tsvector))`,
);
export const insertNoteWords = (tx: Tx, args: Words & In & { id: number }): Promise<void> => tx.run(insertWord, args);

const countTag = statement<In & { tag: string }>(
  `insert into note_tags (space_id, tag, notes) values (:space_id, :tag, 1)
   on conflict (space_id, tag) do update set notes = note_tags.notes + 1`,
);
export const countTags = (tx: Tx, tags: readonly string[]): Promise<void> =>
  tx.runAll(
    countTag,
    tags.map((tag) => ({ space_id: tx.space_id, tag })),
  );

type TagRow = { tag: string; notes: number };
const mostUsed = statement<In & { limit: number }, TagRow>(
  "select tag, notes from note_tags where space_id = :space_id order by notes desc, tag desc limit :limit",
);
export const listTags = async (db: Reader, args: In & { limit: number }): Promise<TagRow[]> =>
  (await db.all(mostUsed, args)).map(({ tag, notes }) => ({ tag, notes: Number(notes) }));

/** `folded` is a part that has to be in it; empty for any. */
type Scan = In & { after_id: number; folded: string; limit: number };
/** A note that was looked at, and whether it has the part. */
export type ScannedRow = { id: number; bytes: number; fits: number };

const SCANNED = `n.id, n.bytes,
   case when :folded = '' or replace(n.folded, :folded, '') <> n.folded then 1 else 0 end as fits`;

const walk = statement<Scan, ScannedRow>(
  `select ${SCANNED} from notes n where n.space_id = :space_id and n.id > :after_id order by n.id limit :limit`,
);
/** The next ones, in the order they were made. */
export const walkNotes = (db: Reader, args: Scan): Promise<ScannedRow[]> => db.all(walk, args);

const AFTER = `coalesce((select p.seq from notes p where p.space_id = :space_id and p.id <= :after_id
   order by p.id desc limit 1), 0)`;

const matching = statement<Scan & Match, ScannedRow>(
  // Crossed, so that SQLite begins with the words: else it would ask for them anew for each note of the space.
  `select ${SCANNED} from note_words w cross join notes n on n.seq = w.rowid
   where note_words match :match and w.rowid > ${AFTER} and n.space_id = :space_id order by w.rowid limit :limit`,
  `select ${SCANNED} from note_words w join notes n on n.seq = w.seq
   where w.words @@ cast(:query as tsquery) and n.space_id = :space_id and n.id > :after_id order by n.id limit :limit`,
);
/** The next of those with the words and marks. */
export const walkMatching = (db: Reader, args: Scan & Match): Promise<ScannedRow[]> => db.all(matching, args);

export type ShownNote = Pick<NoteRow, "id" | "content" | "tags" | "links" | "author">;

/** Said twice: the two databases have no common word for what is in a list. */
const among = (list: string): string =>
  `select n.id, n.content, n.tags, n.links, n.author from notes n
   where n.space_id = :space_id and n.id in (${list}) order by n.id`;
const some = statement<In & { ids: string }, ShownNote>(
  among("select value from json_each(:ids)"),
  among("select cast(json_array_elements_text(cast(:ids as json)) as bigint)"),
);
export const listNotes = (db: Reader, { space_id, ids }: In & { ids: readonly number[] }): Promise<ShownNote[]> =>
  db.all(some, { space_id, ids: JSON.stringify(ids) });

const newest = statement<In & { limit: number }, Pick<ScannedRow, "id" | "bytes">>(
  "select id, bytes from notes where space_id = :space_id order by id desc limit :limit",
);
/** Newest first. */
export const listNewest = (db: Reader, args: In & { limit: number }): Promise<Pick<ScannedRow, "id" | "bytes">[]> =>
  db.all(newest, args);

const find = statement<In & { id: number }, NoteRow>(
  `select id, author, author_id, by_principal_id, content, folded, tags, links, bytes, cause, cause_how
   from notes where space_id = :space_id and id = :id`,
);
export const findNote = (db: Reader, args: In & { id: number }): Promise<NoteRow | undefined> => db.get(find, args);
