import type { Command } from "#lib/keys/commands.svelte.ts";

/** Those that every word that was typed fits, the best first. All, in their order, for nothing typed. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = wordsOf(text);
  return commands
    .map((command) => ({ command, rank: rankOf(command, typed) }))
    .filter(({ rank }) => rank !== undefined)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
    .map(({ command }) => command);
}

/** Less is better. Undefined where one of the words does not fit at all. */
function rankOf({ group, words }: Command, typed: readonly string[]): number | undefined {
  const there = wordsOf(`${words} ${group}`);
  let sum = 0;
  for (const word of typed) {
    const ranks = there.map((known) => fit(known, word)).filter((rank) => rank !== undefined);
    if (ranks.length === 0) return undefined;
    sum += Math.min(...ranks);
  }
  return sum;
}

/** It begins so, has it inside, or has its letters in that order, from its first one on: `dpl` for deployer. */
function fit(known: string, word: string): number | undefined {
  if (known.startsWith(word)) return 0;
  if (known.includes(word)) return 1;
  if (word.length < 2 || known[0] !== word[0]) return undefined;
  let at = 0;
  for (const letter of word) {
    at = known.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 2;
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s:’“”]+/)
    .filter((word) => word !== "");
