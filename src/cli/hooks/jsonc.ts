/** Reads JSON as people keep it in settings: with comments and trailing commas, and with the place of everything. */

interface Place {
  from: number;
  to: number;
}

export interface Member extends Place {
  key: string;
  value: Node;
}

export type Node = Place &
  (
    | { kind: "object"; members: Member[] }
    | { kind: "array"; items: Node[] }
    | { kind: "value"; value: string | number | boolean | null }
  );

export class JsoncError extends Error {
  override readonly name = "JsoncError";
  constructor(text: string, at: number, message: string) {
    const before = text.slice(0, at).split("\n");
    super(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`);
  }
}

/** Undefined where there is nothing but blanks and comments. */
export function parseJsonc(text: string): Node | undefined {
  const reader = new Reader(text);
  return reader.document();
}

/** What it says, without the places. A key that stands twice has its last value, as for everybody else. */
export function contentOf(node: Node): unknown {
  if (node.kind === "value") return node.value;
  if (node.kind === "array") return node.items.map(contentOf);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, contentOf(value)]));
}

/** Where blanks and comments that begin here end. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (/[\s\ufeff]/.test(text[at] ?? "")) at += 1;
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2);
      if (end < 0) throw new JsoncError(text, at, "a comment is not closed");
      at = end + 2;
    } else return at;
  }
}

const MOST_DEPTH = 100;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Node | undefined {
    this.#blanks();
    if (this.#at === this.#text.length) return undefined;
    const node = this.#node(0);
    this.#blanks();
    if (this.#at < this.#text.length) throw this.#wrong("something follows the end");
    return node;
  }

  #node(depth: number): Node {
    if (depth > MOST_DEPTH) throw this.#wrong("it is nested too deep");
    const character = this.#text[this.#at];
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#array(depth);
    return this.#value();
  }

  #object(depth: number): Node {
    const from = this.#at++;
    const members: Member[] = [];
    while (!this.#closes("}")) {
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#wrong("a name in double quotes is missing");
      const key = String(this.#value().value);
      this.#blanks();
      if (this.#text[this.#at] !== ":") throw this.#wrong("a colon is missing");
      this.#at += 1;
      this.#blanks();
      const value = this.#node(depth + 1);
      members.push({ key, value, from: at, to: this.#at });
      this.#comma("}");
    }
    return { kind: "object", members, from, to: this.#at };
  }

  #array(depth: number): Node {
    const from = this.#at++;
    const items: Node[] = [];
    while (!this.#closes("]")) {
      items.push(this.#node(depth + 1));
      this.#comma("]");
    }
    return { kind: "array", items, from, to: this.#at };
  }

  #value(): Node & { kind: "value" } {
    const from = this.#at;
    const form = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
    form.lastIndex = from;
    const [found] = form.exec(this.#text) ?? [];
    if (found === undefined) throw this.#wrong("a value is missing or broken off");
    try {
      const value = JSON.parse(found);
      this.#at += found.length;
      return { kind: "value", value, from, to: this.#at };
    } catch {
      throw this.#wrong("this is no JSON value");
    }
  }

  #closes(bracket: string): boolean {
    this.#blanks();
    if (this.#at >= this.#text.length) throw this.#wrong(`a ${bracket} is missing`);
    if (this.#text[this.#at] !== bracket) return false;
    this.#at += 1;
    return true;
  }

  #comma(bracket: string): void {
    this.#blanks();
    if (this.#text[this.#at] === ",") this.#at += 1;
    else if (this.#text[this.#at] !== bracket) throw this.#wrong(`a comma or a ${bracket} is missing`);
  }

  #blanks(): void {
    this.#at = skipBlanks(this.#text, this.#at);
  }

  #wrong(message: string): JsoncError {
    return new JsoncError(this.#text, this.#at, message);
  }
}
