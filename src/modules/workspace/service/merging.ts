/**
 * A merge of two texts that began from one, by lines: what only one of them changed is taken from that one, what both
 * changed alike once, and where they differ both are there, between marks.
 */
import { type Change, changesOf, linesOf } from "./comparing.ts";

interface Side {
  text: string;
  /** As the marks name it. */
  name: string;
}

interface Merged {
  content: string;
  /** How many places are marked. */
  conflicts: number;
}

export function merge(base: string, { current, yours }: { current: Side; yours: Side }): Merged {
  const old = linesOf(base);
  const parts: string[] = [];
  let conflicts = 0;
  let at = 0;
  for (const { from, to, theirs, own } of stretchesOf(old, current.text, yours.text)) {
    parts.push(...old.slice(at, from));
    const [a, b] = [changed(old, theirs, { from, to }), changed(old, own, { from, to })];
    if (own.length === 0 || same(a, b)) parts.push(...a);
    else if (theirs.length === 0) parts.push(...b);
    else {
      conflicts += 1;
      parts.push(`<<<<<<< ${current.name}\n`, ...a, "=======\n", ...b, `>>>>>>> ${yours.name}\n`);
    }
    at = to;
  }
  const content = [...parts, ...old.slice(at)].join("");
  const isClosed = [current.text, yours.text].some((text) => text.endsWith("\n"));
  return { content: isClosed ? content : content.replace(/\n$/, ""), conflicts };
}

/** A stretch of the old text, and what each of the two did within it. */
interface Stretch {
  from: number;
  to: number;
  theirs: Change[];
  own: Change[];
}

/** Changes that touch each other belong together. */
function stretchesOf(old: string[], current: string, yours: string): Stretch[] {
  const all = [
    ...changesOf(old, linesOf(current)).map((change) => ({ change, side: "theirs" as const })),
    ...changesOf(old, linesOf(yours)).map((change) => ({ change, side: "own" as const })),
  ].sort((one, other) => one.change.from - other.change.from || one.change.to - other.change.to);
  const stretches: Stretch[] = [];
  for (const { change, side } of all) {
    const last = stretches.at(-1);
    if (last && change.from <= last.to) {
      last.to = Math.max(last.to, change.to);
      last[side].push(change);
    } else stretches.push({ from: change.from, to: change.to, theirs: [], own: [], [side]: [change] });
  }
  return stretches;
}

/** A stretch of the old text as one of the two has it. */
function changed(
  old: readonly string[],
  changes: readonly Change[],
  { from, to }: Pick<Stretch, "from" | "to">,
): string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of changes) {
    lines.push(...old.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...lines, ...old.slice(at, to)];
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at]);
