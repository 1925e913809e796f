/**
 * Finding any part of a text, whatever its case, the same on both databases: a text is marked with its pieces of three
 * characters, beside its words (`words.ts`), and what has a part in it has all pieces of that part. Pieces are numbers, and
 * two of them may have the same one: what is found is to be looked at itself.
 */
import { hash } from "node:crypto";
import { type Match, tokenOf } from "./words.ts";

const PIECE = 3;
/** A text with more different pieces has one mark instead, and is looked at for whatever part: as rare as it is costly. */
const MOST_PIECES = 4096;
/** So many of a part are looked for: more cost more than they leave out. */
const MOST_LOOKED_FOR = 4;

/** As texts are compared where case does not count. */
export const fold = (text: string): string =>
  // Capitals first, so that each letter ends as one and the same: `ß` as `ss`, and both small sigmas as one.
  text.normalize("NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ");

/** The marks by which parts of a folded text are found among all that are its owner's. */
export function piecesOf(folded: string, owner: string): string[] {
  const pieces = new Set(numbersOf(folded));
  return pieces.size > MOST_PIECES ? [manifold(owner)] : [...pieces].map(named(owner));
}

/** What may have this part in it. Undefined for one that is too short to have a piece. */
export function matchOfPart(folded: string, owner: string): Match | undefined {
  const pieces = [...new Set(numbersOf(folded))];
  if (pieces.length === 0) return undefined;
  // From all over it: what it begins with may be in every text.
  const step = Math.ceil(pieces.length / MOST_LOOKED_FOR);
  const marks = pieces.filter((_, at) => at % step === 0).map(named(owner));
  const other = manifold(owner);
  return {
    match: `readers : ((${marks.join(" AND ")}) OR ${other})`,
    query: `((${marks.map((mark) => `'@${mark}'`).join(" & ")}) | '@${other}')`,
  };
}

export const matchOfMark = (mark: string): Match => ({ match: `readers : ${mark}`, query: `'@${mark}'` });

/** What fits all of these. */
export const allOf = (matches: readonly Match[]): Match => ({
  match: matches.map(({ match }) => `(${match})`).join(" AND "),
  query: matches.map(({ query }) => `(${query})`).join(" & "),
});

const manifold = (owner: string): string => tokenOf(`${owner} many pieces`);

/** Shorter than what `tokenOf` makes, and different for each owner: else a search would go through those of all. */
function named(owner: string): (piece: number) => string {
  const salt = hash("sha256", owner).slice(0, 5);
  return (piece) => `${salt}${piece.toString(36)}`;
}

function numbersOf(folded: string): number[] {
  const numbers: number[] = [];
  for (let at = 0; at + PIECE <= folded.length; at += 1)
    numbers.push(((folded.charCodeAt(at) << 14) ^ (folded.charCodeAt(at + 1) << 7) ^ folded.charCodeAt(at + 2)) >>> 0);
  return numbers;
}
