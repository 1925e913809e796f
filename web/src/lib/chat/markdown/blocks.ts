import { inline } from "./inline.ts";
import { cellsOf, indentOf, isEmpty, outdented } from "./lines.ts";
import { referenceName } from "./target.ts";
import { MOST_DEPTH, type Part, type Piece, part, type Tag } from "./tree.ts";

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})[ \t]*(\S*)/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)/;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const DIVIDER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const REFERENCE =
  /^ {0,3}\[((?:[^[\]\\]|\\.){1,200})\]:[ \t]*<?([^\s<>]+)>?(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/;

/** What the blocks of one message have in common. */
interface Message {
  references: Map<string, string>;
  /** Read when all of it is known: an address may stand at its end. */
  later: { part: Part; text: string }[];
}

/** Reads a message as GitHub would: its markup, every end of a line, and HTML as the text it is. */
export function markdown(text: string): Piece[] {
  const message: Message = { references: new Map(), later: [] };
  const { parts } = new Blocks(text.replaceAll(/\r\n?/g, "\n").split("\n"), message, 0).read();
  for (const { part, text } of message.later) part.pieces.push(...inline(text, message.references));
  return parts;
}

class Blocks {
  readonly #lines: readonly string[];
  readonly #message: Message;
  readonly #depth: number;
  readonly #parts: Part[] = [];
  #at = 0;

  constructor(lines: readonly string[], message: Message, depth: number) {
    this.#lines = lines;
    this.#message = message;
    this.#depth = depth;
  }

  /** `apart` when there are empty lines between them. */
  read(): { parts: Part[]; apart: boolean } {
    let apart = false;
    let empty = false;
    while (this.#at < this.#lines.length) {
      if (isEmpty(this.#line)) {
        empty = true;
        this.#at += 1;
        continue;
      }
      apart ||= empty && this.#parts.length > 0;
      this.#block();
      // A list takes the empty lines after it, since more of it may follow.
      empty = isEmpty(this.#lines[this.#at - 1] ?? "");
    }
    return { parts: this.#parts, apart };
  }

  get #line(): string {
    return this.#lines[this.#at] ?? "";
  }

  #block(): void {
    const line = this.#line;
    const nests = this.#depth < MOST_DEPTH;
    if (FENCE.test(line)) this.#fence();
    else if (HEADING.test(line)) this.#heading();
    else if (RULE.test(line)) this.#rule();
    else if (nests && QUOTE.test(line)) this.#quote();
    else if (nests && ITEM.test(line)) this.#list();
    else if (indentOf(line) >= 4) this.#indented();
    else if (this.#isTable()) this.#table();
    else if (!this.#reference()) this.#paragraph();
  }

  #text(tag: Tag, text: string): Part {
    const made = part(tag);
    this.#message.later.push({ part: made, text });
    return made;
  }

  #fence(): void {
    const [, marks = "", lang = ""] = FENCE.exec(this.#line) ?? [];
    const indent = indentOf(this.#line);
    const end = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
    const code: string[] = [];
    for (this.#at += 1; this.#at < this.#lines.length && !end.test(this.#line); this.#at += 1)
      code.push(outdented(this.#line, indent));
    this.#at += 1;
    this.#parts.push({ tag: "pre", lang, pieces: [code.join("\n")] });
  }

  #indented(): void {
    const code: string[] = [];
    for (; this.#at < this.#lines.length; this.#at += 1)
      if (isEmpty(this.#line) || indentOf(this.#line) >= 4) code.push(outdented(this.#line, 4));
      else break;
    this.#parts.push({ tag: "pre", lang: "", pieces: [code.join("\n").trimEnd()] });
  }

  #heading(): void {
    const [, marks = "", words = ""] = HEADING.exec(this.#line) ?? [];
    const text = words.trimEnd();
    const bare = text.replace(/#+$/, "");
    this.#at += 1;
    this.#parts.push(this.#text(levelOf(marks.length), bare === "" || /[ \t]$/.test(bare) ? bare.trim() : text.trim()));
  }

  #rule(): void {
    this.#at += 1;
    this.#parts.push(part("hr"));
  }

  #quote(): void {
    const inner: string[] = [];
    for (; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line;
      if (QUOTE.test(line)) inner.push(line.replace(QUOTE, ""));
      // A line may leave its mark out as long as it goes on with a sentence.
      else if (isEmpty(line) || isEmpty(inner.at(-1) ?? "") || this.#interrupts()) break;
      else inner.push(line);
    }
    this.#parts.push(part("blockquote", this.#nested(inner).parts));
  }

  #nested(lines: readonly string[]): { parts: Part[]; apart: boolean } {
    return new Blocks(lines, this.#message, this.#depth + 1).read();
  }

  #list(): void {
    const [, , first = ""] = ITEM.exec(this.#line) ?? [];
    const kind = first.slice(-1);
    const items: Part[] = [];
    let loose = false;
    for (let empty = false; ; ) {
      const [, , marker = ""] = ITEM.exec(this.#line) ?? [];
      if (marker === "" || marker.slice(-1) !== kind || RULE.test(this.#line)) break;
      loose ||= empty;
      const lines = this.#item();
      empty = isEmpty(lines.at(-1) ?? "") && lines.length > 1;
      const { parts, apart } = this.#nested(lines);
      loose ||= apart;
      items.push(part("li", parts));
    }
    if (!loose) for (const { pieces } of items) for (const piece of pieces) asRun(piece);
    const list = part(/\d/.test(first) ? "ol" : "ul", items);
    if (list.tag === "ol") list.start = Number.parseInt(first, 10);
    this.#parts.push(list);
  }

  /** The lines of one item, as they stand within it, with the empty ones after it. */
  #item(): string[] {
    const [all = "", before = "", marker = "", space = ""] = ITEM.exec(this.#line) ?? [];
    // Much space belongs to the text, which then is code.
    const width = before.length + marker.length + (space.length > 0 && space.length <= 4 ? space.length : 1);
    const lines = [
      this.#line.slice(Math.min(width, all.length)).replace(TASK, (_, done) => (done === " " ? "☐ " : "☑ ")),
    ];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line;
      if (isEmpty(line)) lines.push("");
      else if (indentOf(line) >= width) lines.push(outdented(line, width));
      else if (isEmpty(lines.at(-1) ?? "") || ITEM.test(line) || this.#interrupts()) break;
      else lines.push(line.trimStart());
    }
    return lines;
  }

  #isTable(): boolean {
    const next = this.#lines[this.#at + 1] ?? "";
    return (
      this.#line.includes("|") &&
      next.includes("-") &&
      DIVIDER.test(next) &&
      cellsOf(this.#line).length === cellsOf(next).length
    );
  }

  #table(): void {
    const head = cellsOf(this.#line);
    const row = (tag: Tag, cells: readonly string[]): Part =>
      part(
        "tr",
        head.map((_, at) => this.#text(tag, cells[at] ?? "")),
      );
    const rows: Part[] = [];
    for (this.#at += 2; this.#at < this.#lines.length; this.#at += 1) {
      if (isEmpty(this.#line) || this.#interrupts()) break;
      rows.push(row("td", cellsOf(this.#line)));
    }
    this.#parts.push(part("table", [part("thead", [row("th", head)]), part("tbody", rows)]));
  }

  /** True when it only gives an address a name. The address may stand on the next line. */
  #reference(): boolean {
    const isTwo = /\]:[ \t]*$/.test(this.#line);
    const line = isTwo ? `${this.#line} ${(this.#lines[this.#at + 1] ?? "").trim()}` : this.#line;
    const [, name = "", href = ""] = REFERENCE.exec(line) ?? [];
    if (href === "") return false;
    const { references } = this.#message;
    // The first one counts.
    if (!references.has(referenceName(name))) references.set(referenceName(name), href);
    this.#at += isTwo ? 2 : 1;
    return true;
  }

  #paragraph(): void {
    const lines = [this.#line.trim()];
    for (this.#at += 1; this.#at < this.#lines.length; this.#at += 1) {
      const line = this.#line;
      const [, underline] = UNDERLINE.exec(line) ?? [];
      if (underline) {
        this.#at += 1;
        this.#parts.push(this.#text(levelOf(underline[0] === "=" ? 1 : 2), lines.join("\n")));
        return;
      }
      if (isEmpty(line) || this.#interrupts() || this.#isTable()) break;
      lines.push(line.trim());
    }
    this.#parts.push(this.#text("p", lines.join("\n")));
  }

  /** Whether the line begins something else in the middle of a paragraph. */
  #interrupts(): boolean {
    const line = this.#line;
    if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
    if (this.#depth >= MOST_DEPTH) return false;
    // A number at the beginning of a line is more often one of the sentence's.
    const [, , marker = "", text] = ITEM.exec(line) ?? [];
    return QUOTE.test(line) || (text !== undefined && (!/\d/.test(marker) || Number.parseInt(marker, 10) === 1));
  }
}

/** The page has headings of its own above these. */
const levelOf = (marks: number): Tag => (["h3", "h4", "h5"] as const)[marks - 1] ?? "h6";

/** In a list without empty lines the texts are no paragraphs. */
function asRun(piece: Piece): void {
  if (typeof piece !== "string" && piece.tag === "p") piece.tag = "run";
}
