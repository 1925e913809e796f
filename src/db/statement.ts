import { type Footprint, footprintOf } from "./footprint.ts";

/**
 * One SQL for both databases. A statement is written once, with `:name` parameters,
 * translated once for each database when the program loads, and prepared once a
 * connection. Building a query on each call costs four times as much on a post.
 */
export type Value = string | number | null;
/** An object type whose every field can be bound. */
export type Args<A> = { [K in keyof A]: Value };

export interface Statement<A = unknown, R = unknown> {
  /** Unique in the program: where a connection keeps it prepared, and under which name. */
  readonly index: number;
  readonly name: string;
  readonly sqlite: Translation;
  readonly postgres: Translation;
  readonly footprint: Footprint;
  /** Only for the type checker: what goes in and what a row looks like. */
  readonly types?: { args: A; row: R };
}

/** A statement in the words of one database. */
export interface Translation {
  readonly text: string;
  /** Its parameters, in the order in which they are bound. */
  readonly names: readonly string[];
}

/** Every one there is, in the order of their numbers. */
export const STATEMENTS: Statement[] = [];

/**
 * `:name` marks a parameter; the same name may stand several times. What the two databases cannot say
 * alike, full-text search, is said twice, first for SQLite; each takes of the arguments what it names.
 */
export function statement<A extends Args<A>, R = never>(text: string, onPostgres = text): Statement<A, R> {
  const index = STATEMENTS.length + 1;
  const footprint = footprintOf(text, onPostgres);
  const made = { index, name: `s${index}`, sqlite: inOrder(text), postgres: numbered(onPostgres), footprint };
  STATEMENTS.push(made);
  return made;
}

const PARAMETER = /(?<!:):([a-z_]+)/g;

/**
 * Without numbers, which SQLite would take for names and go through for each value that is bound. A bare parameter as
 * the limit it would plan for: each time it is bound, the statement is parsed and planned anew, which costs ten times
 * what it does.
 */
function inOrder(text: string): Translation {
  const names = [...text.matchAll(PARAMETER)].map(([, name]) => name ?? "");
  return { names, text: text.replace(PARAMETER, "?").replace(/\blimit \?/g, "limit ? + 0") };
}

function numbered(text: string): Translation {
  const names: string[] = [];
  const place = (name: string): number => {
    const known = names.indexOf(name);
    return known >= 0 ? known + 1 : names.push(name);
  };
  return { names, text: text.replace(PARAMETER, (_, name: string) => `$${place(name)}`) };
}

/** In the order in which they are bound, those of several rows one after the other. */
export function values<A>({ names }: Translation, ...rows: A[]): Value[] {
  const bound = new Array<Value>(names.length * rows.length);
  let at = 0;
  for (const row of rows) {
    // `statement` let only objects with such fields through.
    const fields = row as Record<string, Value>;
    for (const name of names) {
      bound[at] = fields[name] ?? null;
      at += 1;
    }
  }
  return bound;
}

/**
 * An insert of one row, said for several; undefined for anything else. `or fail` spares SQLite the journal by which it
 * could take back this statement alone: an operation that fails is taken back as a whole.
 */
export function severalRowsOnSqlite({ text }: Translation, rows: number): string | undefined {
  const [, into, row] = /^insert (into [^;]*?)\svalues (\([^;]*\))$/s.exec(text) ?? [];
  if (into === undefined || row === undefined || /\b(on conflict|select)\b/.test(row)) return undefined;
  return `insert or fail ${into} values ${Array(rows).fill(row).join(", ")}`;
}

const inserts = new Map<string, string>();

/** An insert of one row that appends, for several: each has the same parameters, numbered on. */
export function severalRowsOnPostgres({ text, names }: Translation, rows: number): string {
  if (rows === 1) return text;
  const key = `${rows} ${text}`;
  const known = inserts.get(key);
  if (known !== undefined) return known;
  const [, into = "", row = "", conflict = ""] =
    /^(.*?\bvalues\s*)(\(.*\))((?:\s*on conflict\b.*)?)$/s.exec(text) ?? [];
  const several = Array.from({ length: rows }, (_, at) =>
    row.replace(/\$(\d+)/g, (_, place: string) => `$${Number(place) + at * names.length}`),
  );
  const made = `${into}${several.join(", ")}${conflict}`;
  inserts.set(key, made);
  return made;
}
