import type { Entry } from "./palette.svelte.ts";

/** Those that have every word that was typed, the ones whose words begin with them first. All, in their order, for nothing typed. */
export function matching(entries: readonly Entry[], text: string): Entry[] {
  const typed = wordsOf(text);
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, typed) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ entry }) => entry);
}

/** How many of the words are only found inside of others. Undefined where one is not found at all. */
function rankOf({ group, words }: Entry, typed: readonly string[]): number | undefined {
  const there = wordsOf(`${words} ${group}`);
  let inside = 0;
  for (const word of typed) {
    if (there.some((known) => known.startsWith(word))) continue;
    if (!there.some((known) => known.includes(word))) return undefined;
    inside += 1;
  }
  return inside;
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s:’“”]+/)
    .filter((word) => word !== "");
