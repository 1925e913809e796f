/**
 * The only column types we use. Text that is compared or sorted does so by byte on both
 * databases; times are ISO-8601 text; JSON is text because nothing ever queries inside it.
 */
export interface Columns {
  key: string;
  time: string;
  text: string;
  json: string;
  position: string;
  /** Ends a table that is read by its primary key alone and has short rows. */
  clustered: string;
  /** A primary key that counts up through the whole table. */
  serial: string;
  /** The words of the rows of a table with a `serial` called `seq`, gone with the row. See `words.ts`. */
  words: (name: string, of: string) => string[];
}

export const SQLITE_COLUMNS: Columns = {
  key: "text",
  time: "text",
  text: "text",
  json: "text",
  position: "integer",
  clustered: " without rowid",
  serial: "integer primary key",
  words: (name, of) => [
    // Keeps no text of its own: the words are folded and split before they come here.
    `create virtual table ${name} using fts5(words, readers, content='', contentless_delete=1, tokenize='ascii')`,
    // Each transaction leaves a piece of the index: merged sixteen at a time they are written anew half as often.
    `insert into ${name} (${name}, rank) values ('automerge', 16)`,
    `create trigger ${name}_gone after delete on ${of} begin delete from ${name} where rowid = old.seq; end`,
  ],
};

export const POSTGRES_COLUMNS: Columns = {
  key: 'text collate "C"',
  time: 'text collate "C"',
  text: "text",
  json: "text",
  position: "bigint",
  clustered: "",
  serial: "bigint generated always as identity primary key",
  words: (name, of) => [
    `create table ${name} (seq bigint primary key references ${of} (seq) on delete cascade, words tsvector not null)`,
    `create index ${name}_words on ${name} using gin (words)`,
  ],
};
