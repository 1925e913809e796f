/** `--fields`: of each thing in a list, or of the one thing that was asked for, only what is named. */
import { columns, fields } from "./fields.ts";
import type { Output } from "./output.ts";
import { isThing, type Thing } from "./sentence.ts";

export function pick(value: unknown, names: readonly string[]): unknown {
  if (!isThing(value)) return value;
  const lists = listsOf(value);
  // An empty list stays what it is.
  if (lists.length === 0) return names.some((name) => name in value) ? picked(value, names) : value;
  const shorter = lists.map(([key, list]) => [key, list.map((each) => picked(each, names))]);
  return { ...value, ...Object.fromEntries(shorter) };
}

/** The same for a person: a table, or a line for each field. It says which fields there are where one is not known. */
export function picture(out: Output, value: unknown, names: readonly string[]): string {
  if (!isThing(value)) return String(value);
  const things = listsOf(value).flatMap(([, list]) => list);
  const known = new Set((things.length > 0 ? things : [value]).flatMap((thing) => Object.keys(thing)));
  // Where a list is empty nobody can tell which fields its things would have had.
  if (things.length === 0 && Object.values(value).some(Array.isArray) && !names.some((name) => known.has(name)))
    return "";
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    out.note(`There is no field ${unknown.join(", ")} here. There are: ${[...known].join(", ")}.`);
  const asked = names.filter((name) => known.has(name));
  if (asked.length === 0) return "";
  return things.length > 0 ? columns(out, things, asked) : fields(out, picked(value, asked));
}

const listsOf = (value: Thing): [string, Thing[]][] =>
  Object.entries(value).flatMap(([key, each]) =>
    Array.isArray(each) && each.some(isThing) ? [[key, each.filter(isThing)]] : [],
  );

const picked = (thing: Thing, names: readonly string[]): Thing =>
  Object.fromEntries(names.flatMap((name) => (name in thing ? [[name, thing[name]]] : [])));
