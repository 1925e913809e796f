import { draw } from "./draw.ts";
import { markdown } from "./markdown.ts";
import type { Piece } from "./tree.ts";

/** Beyond this, markup is shown as it was written: nobody writes so much of it by hand. */
export const MOST_MARKDOWN = 64 * 1024;

/** Anything that markdown might read as markup. Most of what people say has nothing of it. */
const MARKUP = /[\\`*_~[\]<>|#&]|https?:|www\.|@|^\s*(?:[-+=]|\d+[.)])|^(?: {4}|\t)/m;
export const isPlain = (text: string): boolean => !MARKUP.test(text);

const MOST_KEPT = 1000;
const MOST_KEPT_LETTERS = 4096;
/** Rows come and go as the list is scrolled; their text stays the same. */
const read = new Map<string, Piece[]>();

/** Fills a node with a message. */
export function drawMarkdown(text: string, into: Element): void {
  into.replaceChildren();
  draw(piecesOf(text), into);
}

function piecesOf(text: string): Piece[] {
  const known = read.get(text);
  if (known) return known;
  const pieces = markdown(text);
  if (read.size >= MOST_KEPT) read.clear();
  if (text.length <= MOST_KEPT_LETTERS) read.set(text, pieces);
  return pieces;
}
