/**
 * Which rows a statement can have to do with, read off its text: the tables it reads, the table it changes, and the
 * columns that it pins to one of its parameters (`principal_id = :principal_id`). A statement changes no row that another
 * one reads where a column that both pin has different values. What cannot be read off for certain is left out, which
 * makes the footprint larger and never smaller.
 */
export interface Footprint {
  readonly reads: readonly string[];
  /** The table it changes; undefined for a read. */
  readonly changes: string | undefined;
  /** By column: the parameter that every row it touches has there, before and after. */
  readonly pins: ReadonlyMap<string, string>;
  /** It adds one row, or none where there is such a row already, and changes no other. */
  readonly appends: boolean;
}

const CHANGE = /^(?:insert into|update|delete from) ([a-z_]+)/;
const READ = /\b(?:from|join) ([a-z_]+)\b(?!\()/g;
const INSERT = /^insert into [a-z_]+ \(([a-z_, ]+)\) values \(([^()]*)\)(.*)$/;
const APPEND = /^insert into [a-z_]+ \([a-z_, ]+\) values \(.*\)(?: on conflict(?: \([a-z_, ]+\))? do nothing)?$/;
const NOTHING_ON_CONFLICT = /^(?: on conflict(?: \([a-z_, ]+\))? do nothing)?$/;
const UPDATE_ON_CONFLICT = /^ on conflict \(([a-z_, ]+)\) do update /;
const UPDATE = /^update [a-z_]+ set (.*?) where (.*)$/;
const DELETE = /^delete from [a-z_]+ where (.*)$/;
const SELECT = /^select (.*?) from [a-z_]+(?: [a-z]+)? where (.*?)(?: order by .*| limit .*| for update)?$/;
/** Where one of these stands, a condition need not hold for every row. */
const UNCERTAIN = /[()]|\b(?:or|case|select|join|union)\b/;

/** Tables that others refer to by foreign keys: what is changed there and what refers to it stays in its order. */
export const REFERENCED: ReadonlySet<string> = new Set(["principals"]);

interface Bound {
  statement: { footprint: Footprint };
  args: unknown;
}

/** Whether two statements certainly have to do with different rows of a table. */
export function isElsewhere(one: Bound, other: Bound): boolean {
  for (const [column, parameter] of one.statement.footprint.pins) {
    const same = other.statement.footprint.pins.get(column);
    if (same === undefined) continue;
    const [mine, theirs] = [boundTo(one.args, parameter), boundTo(other.args, same)];
    // A row with null there may be the very one that an update looks for to give it a value.
    if (mine !== null && theirs !== null && mine !== theirs) return true;
  }
  return false;
}

/** `statement` let only objects with such fields through. */
const boundTo = (args: unknown, parameter: string): unknown => (args as Record<string, unknown>)[parameter] ?? null;

export function footprintOf(...texts: readonly string[]): Footprint {
  const [text = "", ...others] = texts.map((text) => text.replace(/\s+/g, " ").trim());
  const changes = CHANGE.exec(text)?.[1];
  const reads = new Set([text, ...others].flatMap((text) => [...text.matchAll(READ)].map(([, table = ""]) => table)));
  const pins = others.every((other) => other === text) ? pinsOf(text) : new Map<string, string>();
  const appends = [text, ...others].every((text) => APPEND.test(text));
  return { reads: [...reads], changes, pins, appends };
}

function pinsOf(text: string): Map<string, string> {
  if (text.startsWith("insert")) return pinsOfInsert(text);
  const [, changed = "", where] = UPDATE.exec(text) ?? [];
  const pins = equalities(where ?? DELETE.exec(text)?.[1] ?? conditionsOfSelect(text));
  // A row that is given another value there is touched under both; but nothing is pinned to null.
  for (const [, column = "", parameter] of changed.matchAll(/([a-z_]+) = (?::([a-z_]+)(?=,|$))?/g)) {
    pins.delete(column);
    if (parameter !== undefined && wasNull(where ?? "", column)) pins.set(column, parameter);
  }
  return pins;
}

const wasNull = (where: string, column: string): boolean =>
  !UNCERTAIN.test(where) && where.split(" and ").some((condition) => condition.trim() === `${column} is null`);

function conditionsOfSelect(text: string): string {
  const [, selected = "", conditions = ""] = SELECT.exec(text) ?? [];
  return UNCERTAIN.test(selected) ? "" : conditions;
}

function pinsOfInsert(text: string): Map<string, string> {
  const [, columns = "", values = "", conflict = ""] = INSERT.exec(text) ?? [];
  const given = values.split(", ");
  const pins = new Map(
    columns.split(", ").flatMap((column, at) => {
      const parameter = /^:([a-z_]+)$/.exec(given[at] ?? "")?.[1];
      return parameter === undefined ? [] : [[column, parameter] as const];
    }),
  );
  if (NOTHING_ON_CONFLICT.test(conflict)) return pins;
  // The row that is changed instead has the same values only where they collide.
  const colliding = UPDATE_ON_CONFLICT.exec(conflict)?.[1]?.split(", ") ?? [];
  return new Map([...pins].filter(([column]) => colliding.includes(column)));
}

function equalities(where: string): Map<string, string> {
  if (UNCERTAIN.test(where)) return new Map();
  return new Map(
    where.split(" and ").flatMap((condition) => {
      const [, column, parameter] = /^(?:[a-z]+\.)?([a-z_]+) = :([a-z_]+)$/.exec(condition.trim()) ?? [];
      return column === undefined || parameter === undefined ? [] : [[column, parameter] as const];
    }),
  );
}
