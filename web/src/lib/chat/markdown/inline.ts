import { charAt, characterOf, isWord, withoutTail } from "./characters.ts";
import { between, emphasise, flanks, type Item, type Run } from "./emphasis.ts";
import { matchAt, type References, targetOf } from "./target.ts";
import { linkTo, MOST_DEPTH, type Piece, part } from "./tree.ts";

/** A `[` that may turn out to begin a link. */
interface Bracket {
  item: Item;
  image: boolean;
  /** Where its text begins. */
  at: number;
  /** How many runs there were before it. */
  runs: number;
}

const SPECIAL = /[\\`*_~[\]!<&\n@]|https?:\/\/|www\./g;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"`\]]+/y;
const ANGLED = /<(?:(https?:\/\/[^\s<>]+|mailto:[^\s<>]+)|([\w.+-]+@[\w-]+(?:\.[\w-]+)+))>/iy;
/** HTML is what somebody said, as it stands. */
const HTML = /<(?:\/?[a-z][^<>\n]*|!--[^\n]{0,500}?--)>/iy;
const MAIL_HOST = /@[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)+/y;
const ENTITY = /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z]{2,6});/iy;
/** More of them in a row are a line, or a mistake. */
const MOST_RUN = 6;
/** As long as the name of a mailbox may be. */
const MOST_MAILBOX = 64;

/** Reads what stands within a block. In time that grows with the text, whatever the text is. */
export const inline = (text: string, references: References): Piece[] => new Line(text, references).read();

class Line {
  readonly #text: string;
  readonly #references: References;
  readonly #first: Item = { piece: "", after: undefined };
  readonly #brackets: Bracket[] = [];
  readonly #runs: Run[] = [];
  /** Lengths of runs of backticks that nothing ends any more. */
  readonly #endless = new Set<number>();
  #last = this.#first;
  #at = 0;
  /** Plain text that is not an item yet. */
  #plain = "";
  /** Brackets before this one are around a link already. */
  #linked = 0;

  constructor(text: string, references: References) {
    this.#text = text;
    this.#references = references;
  }

  read(): Piece[] {
    while (this.#at < this.#text.length) {
      const next = matchAt(SPECIAL, this.#text, this.#at);
      this.#plain += this.#text.slice(this.#at, next?.index);
      if (!next) break;
      this.#at = next.index;
      this.#special(next[0]);
    }
    this.#flush();
    emphasise(this.#runs);
    return between(this.#first, undefined);
  }

  #special(found: string): void {
    const opens = found === "[" || (found === "!" && this.#text[this.#at + 1] === "[");
    if (found.length > 1) this.#address();
    else if (opens) this.#open(found === "!");
    else if (found === "!") this.#take(1);
    else if (found === "]") this.#close();
    else if (found === "\\") this.#backslash();
    else if (found === "`") this.#code();
    else if (found === "\n") this.#break();
    else if (found === "<") this.#angled();
    else if (found === "&") this.#entity();
    else if (found === "@") this.#mail();
    else this.#run(found);
  }

  /** So many characters that are only themselves. */
  #take(count: number): void {
    this.#plain += this.#text.slice(this.#at, this.#at + count);
    this.#at += count;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    return matchAt(pattern, this.#text, this.#at);
  }

  #flush(): void {
    const text = this.#plain;
    this.#plain = "";
    if (text !== "") this.#push(text);
  }

  #push(piece: Piece): Item {
    this.#flush();
    const item: Item = { piece, after: undefined };
    this.#last.after = item;
    this.#last = item;
    return item;
  }

  #backslash(): void {
    const next = this.#text[this.#at + 1] ?? "";
    this.#at += 1;
    if (/[!-/:-@[-`{-~]/.test(next)) this.#take(1);
    else if (next !== "\n") this.#plain += "\\";
  }

  #break(): void {
    this.#plain = this.#plain.trimEnd();
    this.#push(part("br"));
    this.#at += 1;
    while (this.#text[this.#at] === " ") this.#at += 1;
  }

  #code(): void {
    const ticks = this.#lengthOf("`");
    const end = this.#endless.has(ticks) ? -1 : this.#endOfCode(this.#at + ticks, ticks);
    if (end < 0) {
      this.#endless.add(ticks);
      this.#take(ticks);
      return;
    }
    const text = this.#text.slice(this.#at + ticks, end).replaceAll("\n", " ");
    const padded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
    this.#push(part("code", [padded ? text.slice(1, -1) : text]));
    this.#at = end + ticks;
  }

  #endOfCode(from: number, ticks: number): number {
    for (let at = this.#text.indexOf("`", from); at >= 0; at = this.#text.indexOf("`", at)) {
      const length = this.#lengthOf("`", at);
      if (length === ticks) return at;
      at += length;
    }
    return -1;
  }

  #lengthOf(char: string, at = this.#at): number {
    let end = at;
    while (this.#text[end] === char) end += 1;
    return end - at;
  }

  #run(char: string): void {
    const length = this.#lengthOf(char);
    const { opens, closes } = flanks(char, this.#before(), charAt(this.#text, this.#at + length));
    if ((!opens && !closes) || length > MOST_RUN) {
      this.#take(length);
      return;
    }
    this.#at += length;
    const item = this.#push(char.repeat(length));
    this.#runs.push({ item, char, length, left: length, opens, closes });
  }

  #before(): string {
    const last = this.#text[this.#at - 1] ?? "";
    // The second half of a character beyond the first 65,536.
    return /[\udc00-\udfff]/.test(last) ? this.#text.slice(this.#at - 2, this.#at) : last;
  }

  #angled(): void {
    const [all, address, mail] = this.#match(ANGLED) ?? [];
    if (all === undefined) {
      this.#take(this.#match(HTML)?.[0].length ?? 1);
      return;
    }
    this.#link(address ?? `mailto:${mail}`, [address ?? mail ?? ""]);
    this.#at += all.length;
  }

  #entity(): void {
    const [reference = ""] = this.#match(ENTITY) ?? [];
    const char = characterOf(reference);
    this.#plain += char ?? "&";
    this.#at += char === undefined ? 1 : reference.length;
  }

  /** An address that stands in the text as it is, without the punctuation that ends its sentence. */
  #address(): void {
    const [found = ""] = (!isWord(this.#before()) && this.#match(ADDRESS)) || [];
    const address = withoutTail(found);
    const href = address.startsWith("www.") ? `http://${address}` : address;
    if (/^https?:\/\/[^\s/]/.test(href) && URL.canParse(href)) {
      this.#link(href, [address]);
      this.#at += address.length;
    } else this.#take(3);
  }

  #mail(): void {
    const [host] = this.#match(MAIL_HOST) ?? [];
    const [mailbox] = (host && /[\w.+-]+$/.exec(this.#plain.slice(-MOST_MAILBOX))) || [];
    if (!host || !mailbox) {
      this.#take(1);
      return;
    }
    this.#plain = this.#plain.slice(0, -mailbox.length);
    this.#link(`mailto:${mailbox}${host}`, [mailbox + host]);
    this.#at += host.length;
  }

  #link(href: string, label: Piece[]): void {
    for (const piece of linkTo(href, label)) this.#push(piece);
  }

  #open(image: boolean): void {
    const item = this.#push(image ? "![" : "[");
    this.#at += image ? 2 : 1;
    this.#brackets.push({ item, image, at: this.#at, runs: this.#runs.length });
    if (this.#brackets.length <= MOST_DEPTH) return;
    this.#brackets.shift();
    this.#linked = Math.max(0, this.#linked - 1);
  }

  #close(): void {
    const bracket = this.#brackets.pop();
    const depth = this.#brackets.length;
    const isOpen = bracket && (bracket.image || depth >= this.#linked);
    const range = isOpen && { from: bracket.at, to: this.#at };
    const target = range && targetOf(this.#text, range, this.#references);
    this.#linked = target && !bracket?.image ? depth : Math.min(this.#linked, depth);
    if (!bracket || !target) {
      this.#take(1);
      return;
    }
    const label = this.#since(bracket);
    // Loading an image would tell its host who reads this, and when.
    if (bracket.image) this.#link(target.href, ["Image: ", ...(label.length > 0 ? label : ["image"])]);
    else this.#link(target.href, label);
    this.#at = target.end;
  }

  /** Takes back what came after a bracket, and the bracket. */
  #since({ item, runs }: Bracket): Piece[] {
    this.#flush();
    emphasise(this.#runs.splice(runs));
    const pieces = between(item, undefined);
    item.piece = "";
    item.after = undefined;
    this.#last = item;
    return pieces;
  }
}
