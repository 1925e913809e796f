/** An edit as lines that are added, removed or stay. Everything in them that shows nothing is written out. */
import { diffArrays } from "diff";
import { type DiffLine, linesOf } from "#lib/diff/diff-lines.ts";
import { visible } from "$visible";
import type { Edit } from "./edit-in.ts";

/** Beyond these it is read in the arguments. */
const MOST_LINES = 1500;
const MOST_STEPS = 2000;

/** Of each change its lines. Undefined where there are too many, or comparing them takes too long. */
export function editLines({ changes, patch }: Edit): DiffLine[][] | undefined {
  const parts = patch === undefined ? changes.map(signed) : [patchLines(patch)];
  let count = 0;
  const all: DiffLine[][] = [];
  for (const part of parts) {
    count += part?.length ?? 0;
    if (!part || count > MOST_LINES) return undefined;
    all.push(part);
  }
  return all;
}

function signed({ before, after }: Edit["changes"][number]): DiffLine[] | undefined {
  const lines = (text: string): string[] => visible(text).split("\n");
  if (before === undefined) return drawn(lines(after).map((line) => `+${line}`));
  // What is made visible first is compared as it is seen.
  const found = diffArrays(lines(before), lines(after), { maxEditLength: MOST_STEPS });
  if (!found) return undefined;
  const sign = ({ added, removed }: (typeof found)[number]): string => (added ? "+" : removed ? "-" : " ");
  return drawn(found.flatMap((part) => part.value.map((line) => `${sign(part)}${line}`)));
}

/** As a unified difference has them, below a head of their own. */
const drawn = (lines: readonly string[]): DiffLine[] => linesOf(["@@", ...lines].join("\n")).slice(1);

/** Every line of it: one that is no part of a change is shown as it stands. */
const patchLines = (patch: string): DiffLine[] =>
  patch.split("\n").map((text): DiffLine => {
    const line = visible(text);
    const kind = line.startsWith("+")
      ? "added"
      : line.startsWith("-")
        ? "removed"
        : line.startsWith(" ")
          ? "same"
          : "place";
    return { kind, pieces: [{ text: kind === "place" ? line : line.slice(1), changed: false }] };
  });
