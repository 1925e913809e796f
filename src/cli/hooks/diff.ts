/** Line by line, with what stands around a change, as `diff -u` shows it. Settings are short: this need not be clever. */
const AROUND = 2;

type Line = readonly [mark: " " | "+" | "-", text: string];

export function diff(before: string, after: string): string {
  const lines = compare(before === "" ? [] : before.split("\n"), after === "" ? [] : after.split("\n"));
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([mark]) => mark !== " "),
  );
  return lines
    .flatMap(([mark, text], at) => (near[at] ? [`${mark} ${text}`.trimEnd()] : near[at - 1] ? ["  …"] : []))
    .join("\n");
}

/** By the longest common sequence of what is between the same beginning and the same end. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (line: string): Line => [" ", line];
  return [
    ...before.slice(0, start).map(same),
    ...between(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function between(before: readonly string[], after: readonly string[]): Line[] {
  const gone = before.map((line): Line => ["-", line]);
  const come = after.map((line): Line => ["+", line]);
  if (before.length * after.length > 4_000_000 || before.length === 0 || after.length === 0) return [...gone, ...come];
  const lengths = lengthsOf(before, after);
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [left = "", right = ""] = [before[i], after[j]];
    if (i < before.length && j < after.length && left === right) {
      lines.push([" ", left]);
      i += 1;
      j += 1;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(["-", left]);
      i += 1;
    } else {
      lines.push(["+", right]);
      j += 1;
    }
  }
  return lines;
}

/** How many lines the rest of each has in common. */
function lengthsOf(before: readonly string[], after: readonly string[]): number[][] {
  const lengths: number[][] = Array.from({ length: before.length + 1 }, () => []);
  for (let i = before.length - 1; i >= 0; i--) {
    const [row = [], below = []] = [lengths[i], lengths[i + 1]];
    for (let j = after.length - 1; j >= 0; j--)
      row[j] = before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
  }
  return lengths;
}
