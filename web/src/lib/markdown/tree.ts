/** What a message says once its markup is read. The page draws this and nothing else, so this is all a message can be. */
export type Tag =
  /** Its pieces, with no element around them. */
  | "run"
  | "p"
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "hr"
  | "br"
  | "blockquote"
  | "ul"
  | "ol"
  | "li"
  | "table"
  | "thead"
  | "tbody"
  | "tr"
  | "th"
  | "td"
  /** A block of code; `lang` is what it says it is. */
  | "pre"
  | "code"
  | "strong"
  | "em"
  | "del"
  | "a"
  /** Where a link leads, beside it. */
  | "host"
  /** The box of an item that can be ticked off. */
  | "task"
  /** The number of a footnote, in the text. */
  | "sup"
  /** All footnotes, at the end: items in the order of their numbers. */
  | "notes";

export interface Part {
  tag: Tag;
  pieces: Piece[];
  /** Of a link: always an address that `hostOf` knows. */
  href?: string;
  /** Of an ordered list. */
  start?: number;
  lang?: string;
  /** Of a cell. */
  align?: Align;
  /** Of a task. */
  done?: boolean;
}

export type Align = "left" | "center" | "right";
export type Piece = string | Part;

export const part = (tag: Tag, pieces: Piece[] = []): Part => ({ tag, pieces });

/** Undefined for what is no address to follow: scripts, data, paths into this page. */
export function hostOf(href: string): string | undefined {
  if (/^mailto:[^\s?]/i.test(href)) return href.slice(7).split("?", 1)[0];
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href).host;
}

/** A link says where it leads, whatever its text says. One that leads nowhere is its text. */
export function linkTo(href: string, label: Piece[]): Piece[] {
  const host = hostOf(href);
  if (host === undefined) return label;
  const link: Part = { tag: "a", href, pieces: withoutLinks(label) };
  return textOf(label).includes(host) ? [link] : [link, part("host", [` (${host})`])];
}

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : textOf(piece.pieces))).join("");

/** A link within a link would be two. */
function withoutLinks(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece) => {
    if (typeof piece === "string") return [piece];
    if (piece.tag === "host") return [];
    const inner = withoutLinks(piece.pieces);
    return piece.tag === "a" ? inner : [{ ...piece, pieces: inner }];
  });
}
