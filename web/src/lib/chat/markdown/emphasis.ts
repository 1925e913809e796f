import { isPunctuation, isSpace } from "./characters.ts";
import { MOST_DEPTH, type Piece, part, type Tag } from "./tree.ts";

/** One thing in a line: a list of these can lose its middle without moving the rest. */
export interface Item {
  piece: Piece;
  after: Item | undefined;
}

/** Some `*`, `_` or `~` that may begin or end emphasis. */
export interface Run {
  item: Item;
  char: string;
  /** As written, and what is left of it. */
  length: number;
  left: number;
  opens: boolean;
  closes: boolean;
}

/** What the characters around it make of a run. */
export function flanks(char: string, before: string, after: string): { opens: boolean; closes: boolean } {
  const begins = !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
  const ends = !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
  if (char !== "_") return { opens: begins, closes: ends };
  // In the middle of a word it is a part of the word.
  return { opens: begins && (!ends || isPunctuation(before)), closes: ends && (!begins || isPunctuation(after)) };
}

/** Turns runs that belong together into emphasis, the inner ones first. */
export function emphasise(runs: readonly Run[]): void {
  const open: Run[] = [];
  for (const run of runs) {
    while (run.closes && run.left > 0) {
      const at = open.findLastIndex((opener) => belong(opener, run));
      const opener = open[at];
      if (!opener) break;
      wrap(opener, run);
      open.length = opener.left === 0 ? at : at + 1;
    }
    if (run.opens && run.left > 0) open.push(run);
    // One that nothing has ended for so long is a star and not emphasis; without an end to this, neither has the search.
    if (open.length > MOST_DEPTH) open.shift();
  }
}

function belong(opener: Run, closer: Run): boolean {
  if (opener.char !== closer.char) return false;
  if (opener.char === "~") return opener.left === closer.left && opener.left <= 2;
  // So that **a*b** is not read as *(*a*)b**.
  const both = opener.closes || closer.opens;
  return !(both && (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0));
}

function wrap(opener: Run, closer: Run): void {
  const count = opener.char === "~" ? opener.left : Math.min(2, opener.left, closer.left);
  const tag: Tag = opener.char === "~" ? "del" : count === 2 ? "strong" : "em";
  opener.left -= count;
  closer.left -= count;
  opener.item.piece = opener.char.repeat(opener.left);
  closer.item.piece = closer.char.repeat(closer.left);
  opener.item.after = { piece: part(tag, between(opener.item, closer.item)), after: closer.item };
}

/** What lies between two things, or after the first. */
export function between(first: Item, last: Item | undefined): Piece[] {
  const pieces: Piece[] = [];
  for (let item = first.after; item && item !== last; item = item.after) if (item.piece !== "") pieces.push(item.piece);
  return pieces;
}
