import { didYouMean } from "../suggest.ts";
import { ENTRIES, type Entry, findEntry, GROUPS } from "./commands.ts";
import { invalid } from "./failure.ts";

/** By its whole name. Throws a `Failure` that says which one was probably meant. */
export function findCommand(words: readonly string[]): Entry {
  const given = words.join(" ");
  const entry = findEntry(given);
  if (entry) return entry;

  const group = words[0] ?? "";
  const names = ENTRIES.map(({ name }) => name);
  if (!GROUPS.has(group)) {
    const meant = didYouMean(given, [...names, ...GROUPS]);
    throw invalid(`There is no command ${JSON.stringify(given)}.${meant} See them all: parley help`);
  }
  const own = names.filter((name) => name.startsWith(`${group} `));
  if (words.length === 1) throw invalid(`Which one? ${own.map((name) => `parley ${name}`).join(", ")}`);
  const meant = didYouMean(given, own);
  throw invalid(`There is no command ${JSON.stringify(given)}.${meant} See: parley help ${group}`);
}
