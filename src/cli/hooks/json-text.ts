/** Reads JSON as strictly as the clients do, with the place of everything, so that it can be changed as text. */

interface TextRange {
  from: number;
  to: number;
}

export interface Member extends TextRange {
  key: string;
  value: Node;
}

export type Node = TextRange &
  ({ kind: "object"; members: Member[] } | { kind: "array"; items: Node[] } | { kind: "value"; value: unknown });

export class JsonTextError extends Error {
  override readonly name = "JsonTextError";
  constructor(text: string, at: number, message: string) {
    const before = text.slice(0, at).split("\n");
    super(`line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${message}`);
  }
}

/** Undefined where there is nothing but blanks. */
export function parseJsonText(text: string): Node | undefined {
  return new Reader(text).document();
}

/** What it says, without the places. A key that stands twice has its last value, as for everybody else. */
export function contentOf(node: Node): unknown {
  if (node.kind === "value") return node.value;
  if (node.kind === "array") return node.items.map(contentOf);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, contentOf(value)]));
}

const MOST_DEPTH = 100;

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    // A byte order mark is no part of the text, for the clients either.
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
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
    const from = this.#at;
    const members: Member[] = [];
    this.#list("}", () => {
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#wrong("a name in double quotes is missing");
      const key = String(this.#value().value);
      this.#blanks();
      if (this.#text[this.#at] !== ":") throw this.#wrong("a colon is missing");
      this.#at += 1;
      this.#blanks();
      const value = this.#node(depth + 1);
      members.push({ key, value, from: at, to: this.#at });
    });
    return { kind: "object", members, from, to: this.#at };
  }

  #array(depth: number): Node {
    const from = this.#at;
    const items: Node[] = [];
    this.#list("]", () => items.push(this.#node(depth + 1)));
    return { kind: "array", items, from, to: this.#at };
  }

  /** From one bracket past the other. */
  #list(bracket: string, item: () => void): void {
    this.#at += 1;
    this.#blanks();
    if (this.#text[this.#at] !== bracket)
      for (;;) {
        item();
        this.#blanks();
        if (this.#text[this.#at] !== ",") break;
        this.#at += 1;
        this.#blanks();
        if (this.#text[this.#at] === bracket) throw this.#wrong(`after a comma there is no ${bracket} in JSON`);
      }
    if (this.#text[this.#at] !== bracket) throw this.#wrong(`a comma or a ${bracket} is missing`);
    this.#at += 1;
  }

  #value(): Node & { kind: "value" } {
    const from = this.#at;
    const form = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
    form.lastIndex = from;
    const [found] = form.exec(this.#text) ?? [];
    if (found === undefined) throw this.#wrong("a value is missing or broken off");
    try {
      const value: unknown = JSON.parse(found);
      this.#at += found.length;
      return { kind: "value", value, from, to: this.#at };
    } catch {
      throw this.#wrong("this is no JSON value");
    }
  }

  #blanks(): void {
    while (/[\t\n\r ]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    if (/^\/[/*]/.test(this.#text.slice(this.#at, this.#at + 2))) throw this.#wrong("JSON has no comments");
  }

  #wrong(message: string): JsonTextError {
    return new JsonTextError(this.#text, this.#at, message);
  }
}
