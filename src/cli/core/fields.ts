/** What came back from the hub, for a person at a terminal. */

import { visibleLine } from "../../visible.ts";
import type { Output } from "./output.ts";
import { table } from "./table.ts";

type Row = Readonly<Record<string, unknown>>;

/** One thing, a line for each of its fields that says anything. */
export const fields = (out: Output, thing: Row): string =>
  table(
    Object.entries(thing)
      .map(([name, value]) => [heading(name), shown(out, name, value)])
      .filter(([, value]) => value !== ""),
    out.width,
  );

/** Many things, a line each. Only columns that any of them has something in. */
export const rows = (out: Output, things: readonly Row[], names: readonly string[]): string =>
  columns(
    out,
    things,
    names.filter((name) => things.some((thing) => shown(out, name, thing[name]) !== "")),
  );

/** The same with every column that is named. */
export function columns(out: Output, things: readonly Row[], names: readonly string[]): string {
  const lines = things.map((thing) => names.map((name) => shown(out, name, thing[name])));
  return table([names.map(heading), ...lines], out.width);
}

const TIME = /(?:^ts|_at|_until|^deadline)$/;

/** `created_at` is a name for programs. */
export const heading = (name: string): string => name.replace(/_at$/, "").replaceAll("_", " ");

export function shown(out: Output, name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return visibleLine(TIME.test(name) ? out.time(value) : value);
  if (typeof value === "boolean") return value ? "yes" : "";
  if (Array.isArray(value)) return value.map((each) => shown(out, name, each)).join(", ");
  return typeof value === "object" ? visibleLine(JSON.stringify(value)) : String(value);
}
