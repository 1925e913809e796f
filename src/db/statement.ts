/**
 * One SQL for both databases. A statement is written once, with `:name` parameters,
 * translated once for each database when the program loads, and prepared once a
 * connection. Building a query on each call costs four times as much on a post.
 */
export type Value = string | number | null;
/** An object type whose every field can be bound. */
export type Args<A> = { [K in keyof A]: Value };

export interface Statement<A = unknown, R = unknown> {
  /** Unique in the program: where a connection keeps it prepared, and under which name. */
  readonly index: number;
  readonly name: string;
  readonly names: readonly string[];
  readonly sqlite: string;
  readonly postgres: string;
  /** Only for the type checker: what goes in and what a row looks like. */
  readonly types?: { args: A; row: R };
}

let count = 0;

/** `:name` marks a parameter; the same name may stand several times. */
export function statement<A extends Args<A>, R = never>(text: string): Statement<A, R> {
  const names: string[] = [];
  const place = (name: string): number => {
    const known = names.indexOf(name);
    return known >= 0 ? known + 1 : names.push(name);
  };
  const parameter = /(?<!:):([a-z_]+)/g;
  const postgres = text.replace(parameter, (_, name: string) => `$${place(name)}`);
  const sqlite = text.replace(parameter, (_, name: string) => `?${place(name)}`);
  count += 1;
  return { index: count, name: `s${count}`, names, sqlite, postgres };
}

/** In the order of the parameters' numbers. */
export function values<A>(statement: Statement<A>, args: A): Value[] {
  // `statement` let only objects with such fields through.
  const fields = args as Record<string, Value>;
  const { names } = statement;
  const bound = new Array<Value>(names.length);
  for (let at = 0; at < names.length; at += 1) bound[at] = fields[names[at] ?? ""] ?? null;
  return bound;
}
