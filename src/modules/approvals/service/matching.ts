/** Whether the predicates of a rule hold for the arguments of a call. What that costs is counted. */
import type { Predicate } from "../schema.ts";
import { canonical } from "./canonical.ts";

/** Comparisons of characters that one call may cost: beyond it nothing is decided, and nothing runs. */
const MOST_STEPS = 2_000_000;

/** The path of all arguments. */
export const ALL = "";

/** A predicate made ready: what is the same for every call is worked out once. */
export interface Test {
  path: string;
  /** The path in its parts. */
  names: readonly string[];
  predicate: Predicate;
  /** What `is` asks for, as canonical text. */
  text: string | null;
}

export const testsOf = (when: Readonly<Record<string, Predicate>> = {}): Test[] =>
  Object.entries(when).map(([path, predicate]) => ({
    ...{ path, names: namesIn(path), predicate },
    text: isWhole(predicate) ? canonical(predicate.is) : null,
  }));

/** A dot in a name is written `\.`; the empty path is all of it. */
export const namesIn = (path: string): string[] =>
  path === ALL ? [] : path.split(/(?<!\\)\./).map((part) => part.replaceAll("\\.", "."));

const isWhole = (predicate: Predicate): predicate is { is: unknown } =>
  typeof predicate === "object" && predicate !== null && "is" in predicate;

/** The arguments of one call, while it is decided about. */
export class Given {
  readonly #value: unknown;
  /** By path: a part is written out once, however many rules compare it. */
  readonly #texts = new Map<string, string>();
  #steps = MOST_STEPS;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** All of it, as canonical text. */
  text(): string {
    return this.#textOf(ALL, this.#value);
  }

  holds({ path, names, predicate, text }: Test): boolean {
    const found = at(this.#value, names);
    if (found === undefined) return false;
    if (text !== null) return text === this.#textOf(path, found);
    return this.#fits(found, predicate);
  }

  #textOf(path: string, found: unknown): string {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const made = canonical(found);
    this.#take(made.length);
    this.#texts.set(path, made);
    return made;
  }

  #fits(found: unknown, predicate: Predicate): boolean {
    if (typeof predicate !== "object" || predicate === null) return predicate === found;
    if ("in" in predicate) return predicate.in.some((one) => one === found);
    if (typeof found !== "string" || "is" in predicate) return false;
    return "prefix" in predicate ? found.startsWith(predicate.prefix) : this.#isLike(found, predicate.glob);
  }

  /** `*` stands for any characters, `?` for one. Never slower than both lengths multiplied, and bounded even so. */
  #isLike(text: string, glob: string): boolean {
    let [t, g, star, from] = [0, 0, -1, 0];
    while (t < text.length) {
      this.#take(1);
      if (glob[g] === "*") [star, from, g] = [g, t, g + 1];
      else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) [t, g] = [t + 1, g + 1];
      else if (star >= 0) [from, t, g] = [from + 1, from + 1, star + 1];
      else return false;
    }
    while (glob[g] === "*") g += 1;
    return g === glob.length;
  }

  #take(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new Error("the rules take too long to compare");
  }
}

/** What stands at a path such as `cmd.0`. */
function at(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    // Of a list its members alone: it has a length of its own, too.
    if (Array.isArray(found) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
    // It has that property.
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
