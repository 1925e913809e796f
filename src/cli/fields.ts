import { table } from "./output.ts";
import { visibleLine } from "./visible.ts";

type Row = Readonly<Record<string, unknown>>;

/** One thing, a line for each of its fields. */
export const fields = (thing: Row): string => table(Object.entries(thing).map(([name, value]) => [name, shown(value)]));

/** Many things, a line each. Only columns that any of them has something in. */
export function rows(things: readonly Row[], columns: readonly string[]): string {
  const used = columns.filter((column) => things.some((thing) => shown(thing[column]) !== ""));
  return table([used, ...things.map((thing) => used.map((column) => shown(thing[column])))]);
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return visibleLine(value);
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return typeof value === "object" ? visibleLine(JSON.stringify(value)) : String(value);
}
