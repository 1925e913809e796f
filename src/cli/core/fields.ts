/** What came back from the hub, for a person at a terminal. */

import { costWords } from "../../cost.ts";
import { durationText } from "../../durations.ts";
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

const TIME = /(?:^ts|_at|(?:^|_)until|^not_before|^deadline|^(?:next|last)_runs?)$/;
const LENGTH = /_seconds$/;

const SPOKEN: Readonly<Record<string, string>> = { run_at: "not before", cost_usd: "cost" };

/** `created_at` is a name for programs. */
export const heading = (name: string): string =>
  SPOKEN[name] ?? name.replace(/_(?:at|seconds)$/, "").replaceAll("_", " ");

export function shown(out: Output, name: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return visibleLine(TIME.test(name) ? out.time(value) : value);
  if (typeof value === "boolean") return value ? "yes" : "";
  if (Array.isArray(value)) return value.map((each) => shown(out, name, each)).join(", ");
  if (typeof value === "number") return numberText(name, value);
  if (typeof value !== "object") return String(value);
  if (isLink(value)) return visibleLine(value.kind === "url" ? value.ref : `${value.kind}:${value.ref}`);
  const parts = Object.entries(value);
  return parts.every(([, each]) => typeof each === "number")
    ? parts.map(([key, each]) => `${visibleLine(SPOKEN[key] ?? key)} ${numberText(key, Number(each))}`).join(", ")
    : visibleLine(JSON.stringify(value));
}

function numberText(name: string, value: number): string {
  if (name === "cost_usd") return costWords(value);
  return LENGTH.test(name) ? durationText(value * 1000) : String(value);
}

/** What a note comes from, as it is typed. */
const isLink = (value: object): value is { kind: string; ref: string } =>
  "kind" in value && "ref" in value && Object.keys(value).length === 2;
