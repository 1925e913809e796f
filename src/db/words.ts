/**
 * Full-text search that finds the same on both databases: words are folded and split here, before
 * either sees them. Each text carries the readers it is for, and a search names one of them, so
 * that nothing is looked at which is not the reader's. Beside them it may carry marks, by which it is found
 * as well (`pieces.ts`).
 */
import { hash } from "node:crypto";

/** More of a text is not searched: PostgreSQL keeps at most 1 MB of words for a row. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_OF_A_WORD = 60;
const LONG_WORD = new RegExp(`[A-Za-z0-9]{${MOST_OF_A_WORD + 1}}`);
/** Scripts that put no spaces between words: each of their characters is one. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;

export interface Words {
  words: string;
  readers: string;
  vector: string;
}

/** What is stored for a text, beside what else is. Each database asks for its own form alone, which is made only then. */
export function wordsOf<T extends object>(
  also: T,
  text: string,
  { readers, marks = [] }: { readers: readonly string[]; marks?: readonly string[] },
): T & Words {
  const searched = text.slice(0, MOST_CHARACTERS);
  return {
    ...also,
    get words() {
      // What `split` would make of such a text, FTS5's `ascii` makes of it too.
      return isPlain(searched) && !LONG_WORD.test(searched) ? searched : split(searched).join(" ");
    },
    get readers() {
      return [...readers.map(tokenOf), ...marks].join(" ");
    },
    get vector() {
      return vectorOf(split(searched), [...readers.map(tokenOf), ...marks]);
    },
  };
}

function vectorOf(words: readonly string[], marks: readonly string[]): string {
  const places = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    // As many places as PostgreSQL remembers, of a word and of a text.
    if (!known) places.set(word, [Math.min(at + 1, 16_383)]);
    else if (known.length < 200 && at < 16_383) known.push(at + 1);
  }
  const lexemes = [...places].map(([word, at]) => `'${word}':${at.join(",")}`);
  return [...lexemes, ...marks.map((mark) => `'@${mark}'`)].join(" ");
}

export interface Match {
  match: string;
  query: string;
}

/** All words and "phrases" of a query have to be there; the last word may be the begin of one. Null if it has none. */
export function matchOf(query: string, reader: string): Match | null {
  const phrases = phrasesOf(query);
  if (phrases.length === 0) return null;
  const token = tokenOf(reader);
  const sqlite = phrases.map(({ words, open }) => `"${words.join(" ")}"${open ? " *" : ""}`);
  const postgres = phrases.map(({ words, open }) =>
    words.map((word, at) => `'${word}'${open && at === words.length - 1 ? ":*" : ""}`).join(" <-> "),
  );
  return {
    match: `readers : ${token} AND words : (${sqlite.join(" AND ")})`,
    query: [`'@${token}'`, ...postgres.map((phrase) => `(${phrase})`)].join(" & "),
  };
}

interface Phrase {
  words: string[];
  /** Still being typed: what begins like it will do. */
  open: boolean;
}

function phrasesOf(query: string): Phrase[] {
  const parts = [...query.matchAll(/"([^"]*)"?|[^\s"]+/g)];
  return parts
    .map(([whole, quoted], at) => ({
      words: split(quoted ?? whole),
      open: quoted === undefined && at === parts.length - 1 && /[\p{L}\p{N}]$/u.test(whole),
    }))
    .filter(({ words }) => words.length > 0);
}

/** Small letters without accents, so that `Café` is found by `cafe`. */
function split(text: string): string[] {
  const words = isPlain(text)
    ? text.toLowerCase().match(/[a-z0-9]+/g)
    : text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().match(WORD);
  return (words ?? []).map((word) => (word.length > MOST_OF_A_WORD ? word.slice(0, MOST_OF_A_WORD) : word));
}

/** As most mail is; it has neither accents nor other scripts, and splitting it is ten times cheaper. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are plain too
const isPlain = (text: string): boolean => /^[\u0000-\u007f]*$/.test(text);

const MOST_TOKENS = 10_000;
const tokens = new Map<string, string>();

/** What stands for a reader, or for any other text that is a mark as a whole. */
export function tokenOf(reader: string): string {
  const known = tokens.get(reader);
  if (known !== undefined) return known;
  if (tokens.size >= MOST_TOKENS) tokens.clear();
  const token = `r${hash("sha256", reader).slice(0, 16)}`;
  tokens.set(reader, token);
  return token;
}
