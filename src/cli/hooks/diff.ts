import { structuredPatch } from "diff";

/** Line by line, with what stands around a change, as `diff -u` shows it. */
export function diff(before: string, after: string): string {
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 2 });
  return hunks
    .map(({ lines }) => lines.map((line) => `${line[0]} ${line.slice(1)}`.trimEnd()).join("\n"))
    .join("\n  …\n");
}
