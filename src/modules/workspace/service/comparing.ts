/** What is different between two texts, by lines. */
import { diffArrays } from "diff";

/** With more lines changed, a comparison line by line would keep everybody waiting. */
const MOST_CHANGED = 500;
const CONTEXT = 3;

/** The old lines from `from` to before `to` became these. */
export interface Change {
  from: number;
  to: number;
  lines: string[];
}

/** Each with the end of its line, the last one too. */
export const linesOf = (text: string): string[] =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => (line.endsWith("\n") ? line : `${line}\n`));

/** In order; between two of them is always something that is the same. */
export function changesOf(old: string[], lines: string[]): Change[] {
  const parts = diffArrays(old, lines, { maxEditLength: MOST_CHANGED });
  if (!parts) return [coarse(old, lines)];
  const changes: Change[] = [];
  let at = 0;
  let open: Change | undefined;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      changes.push(open);
    }
    if (added) open.lines.push(...value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return changes;
}

/** All between where they begin and end alike. */
function coarse(old: readonly string[], lines: readonly string[]): Change {
  const most = Math.min(old.length, lines.length);
  let from = 0;
  while (from < most && old[from] === lines[from]) from += 1;
  let same = 0;
  while (same < most - from && old.at(-1 - same) === lines.at(-1 - same)) same += 1;
  return { from, to: old.length - same, lines: lines.slice(from, lines.length - same) };
}

/** As `diff -u` shows it, without the names of files. */
export function unified(old: readonly string[], changes: readonly Change[]): string {
  const parts: string[] = [];
  let shift = 0;
  for (const hunk of hunksOf(changes)) {
    const first = Math.max(0, (hunk[0]?.from ?? 0) - CONTEXT);
    const last = Math.min(old.length, (hunk.at(-1)?.to ?? 0) + CONTEXT);
    const body: string[] = [];
    let at = first;
    let grown = 0;
    for (const { from, to, lines } of hunk) {
      body.push(...old.slice(at, from).map((line) => ` ${line}`));
      body.push(...old.slice(from, to).map((line) => `-${line}`), ...lines.map((line) => `+${line}`));
      at = to;
      grown += lines.length - (to - from);
    }
    body.push(...old.slice(at, last).map((line) => ` ${line}`));
    const count = last - first;
    parts.push(`@@ -${range(first, count)} +${range(first + shift, count + grown)} @@\n`, ...body);
    shift += grown;
  }
  return parts.join("");
}

/** Where there are no lines it names the one before. */
const range = (first: number, count: number): string => `${count === 0 ? first : first + 1},${count}`;

/** Those that share what is shown around them. */
function hunksOf(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1);
    const before = last?.at(-1);
    if (last && before && change.from - before.to <= 2 * CONTEXT) last.push(change);
    else hunks.push([change]);
  }
  return hunks;
}
