import type { Token } from "markdown-it";
import { languageOf, MOST_DEPTH, type Parsed, parse } from "./parser.ts";
import { type Align, linkTo, type Part, type Piece, part, type Tag } from "./tree.ts";

/** Elements as the page has them: its own headings stand above these. Of what is not here only the text is shown. */
const TAGS: ReadonlyMap<string, Tag> = new Map([
  ...(["p", "blockquote", "ul", "ol", "li", "strong", "em"] as const).map((tag) => [tag, tag] as const),
  ...(["table", "thead", "tbody", "tr", "th", "td"] as const).map((tag) => [tag, tag] as const),
  ["s", "del"],
  ["h1", "h3"],
  ["h2", "h4"],
  ["h3", "h5"],
  ["h4", "h6"],
  ["h5", "h6"],
  ["h6", "h6"],
]);
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;

/** Reads a message as GitHub would: its markup, every end of a line, and HTML as the text it is. */
export function markdown(text: string): Piece[] {
  const parsed = parse(text);
  return parsed ? new Tree(parsed).pieces : [{ ...part("pre", [text]), lang: "" }];
}

/** markdown-it gives what begins and what ends one after the other; here each is put into what it stands in. */
class Tree {
  readonly pieces: Piece[] = [];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #notes = new Map<string, Part>();
  /** What has begun and not ended, the innermost last. */
  readonly #open: { part: Part; token: Token }[] = [];

  constructor({ tokens, footnotes }: Parsed) {
    this.#numbers = new Map(footnotes.map((label, at) => [label, at + 1]));
    this.#read(tokens);
    const notes = footnotes.map((label) => this.#notes.get(label) ?? part("li"));
    if (notes.length > 0) this.pieces.push(part("notes", notes));
  }

  #read(tokens: readonly Token[]): void {
    for (const token of tokens)
      if (token.nesting > 0) this.#begin(token);
      else if (token.nesting < 0) this.#end();
      else if (token.type === "inline") this.#text(token.children ?? []);
      else this.#add(...this.#leaf(token));
  }

  #add(...pieces: Piece[]): void {
    (this.#open.at(-1)?.part.pieces ?? this.pieces).push(...pieces);
  }

  /** Deeper than that, what is said goes on without its markup. */
  #begin(token: Token): void {
    const around = this.#open.at(-1)?.part;
    this.#open.push({ part: around && this.#open.length >= MOST_DEPTH ? around : begun(token), token });
  }

  #end(): void {
    const ended = this.#open.pop();
    if (!ended || ended.part === this.#open.at(-1)?.part) return;
    const { part, token } = ended;
    if (token.type === "link_open") this.#add(...linkTo(attribute(token, "href"), part.pieces));
    else if (token.type === "footnote_reference_open") this.#note(labelOf(token), part);
    else this.#add(part);
  }

  /** The first of a name counts. */
  #note(label: string, note: Part): void {
    if (!this.#notes.has(label)) this.#notes.set(label, note);
  }

  #text(tokens: readonly Token[]): void {
    const [first] = tokens;
    const [mark = "", done = " "] = this.#beginsItem && first?.type === "text" ? (TASK.exec(first.content) ?? []) : [];
    if (first && mark !== "") {
      this.#add({ ...part("task"), done: done !== " " });
      first.content = first.content.slice(mark.length);
    }
    this.#read(tokens);
  }

  /** Whether this is the first text of an item of a list. */
  get #beginsItem(): boolean {
    const [item, paragraph] = this.#open.slice(-2);
    return item?.part.tag === "li" && item.part.pieces.length === 0 && paragraph?.token.type === "paragraph_open";
  }

  #leaf(token: Token): Piece[] {
    switch (token.type) {
      case "hr":
        return [part("hr")];
      case "softbreak":
      case "hardbreak":
        return [part("br")];
      case "code_inline":
        return [part("code", [token.content])];
      case "fence":
      case "code_block":
        return [codeOf(token)];
      case "image":
        return linkTo(attribute(token, "src"), [`Image: ${wordsOf(token.children ?? [])}`]);
      case "footnote_ref":
        return [part("sup", [String(this.#numbers.get(labelOf(token)) ?? "")])];
      default:
        return token.content === "" ? [] : [token.content];
    }
  }
}

function begun(token: Token): Part {
  // In a list without empty lines the texts are no paragraphs.
  const made = part(token.hidden ? "run" : tagOf(token));
  const start = token.attrGet("start");
  if (start !== null) made.start = Number(start);
  const align = /^text-align:(left|center|right)$/.exec(attribute(token, "style"))?.[1];
  // The pattern has these three.
  if (align) made.align = align as Align;
  return made;
}

const tagOf = ({ type, tag }: Token): Tag => (type === "footnote_reference_open" ? "li" : (TAGS.get(tag) ?? "run"));
const attribute = (token: Token, name: string): string => String(token.attrGet(name) ?? "");
const labelOf = ({ meta }: Token): string => (meta as { label: string } | null)?.label ?? "";

function codeOf({ content, info }: Token): Part {
  const code = content.replace(/\n$/, "");
  return { ...part("pre", code === "" ? [] : [code]), lang: languageOf(info) };
}

/** Without markup: an image is told of in one line. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens.map(({ children, content }) => (children && children.length > 0 ? wordsOf(children) : content)).join("");
