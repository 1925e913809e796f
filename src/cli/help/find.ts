import { didYouMean } from "../../suggest.ts";
import { ENTRIES, findEntry, GROUPS } from "../commands.ts";
import type { Entry } from "../core/command.ts";
import { invalid } from "../core/failure.ts";
import { programName } from "../core/program.ts";

/** What people try first, coming from other programs, and is too far from the right word to be found by its letters. */
const MEANT: Readonly<Record<string, string>> = {
  tail: "chat tail",
  mail: "inbox",
  start: "serve",
  run: "serve, or runs list",
  up: "serve",
  down: "stop",
  kill: "stop",
  ls: "inbox",
  list: "inbox",
  restore: "unarchive",
  rm: "trash",
  delete: "trash",
  msg: "send",
  message: "send",
  say: "chat send",
  log: "logs",
  agents: "agent list",
  tokens: "token list",
  spaces: "space list",
  answer: "notice settle",
};

/** By its whole name. Throws a `Failure` that says which one was probably meant. */
export function findCommand(words: readonly string[]): Entry {
  const given = words.join(" ");
  const entry = findEntry(given);
  if (entry) return entry;

  const group = words[0] ?? "";
  const names = ENTRIES.map(({ name }) => name);
  if (!GROUPS.has(group)) {
    const meant = usual(given) || didYouMean(given, [...names, ...GROUPS]);
    throw invalid(`There is no command ${JSON.stringify(given)}.${meant} See them all: ${programName()} help`);
  }
  const own = names.filter((name) => name.startsWith(`${group} `));
  if (words.length === 1)
    throw invalid(`Which one? ${own.map((name) => `${programName()} ${name}`).join(", ")}.${usual(given)}`);
  const meant = didYouMean(given, own);
  throw invalid(`There is no command ${JSON.stringify(given)}.${meant} See: ${programName()} help ${group}`);
}

const usual = (given: string): string => (Object.hasOwn(MEANT, given) ? ` Did you mean ${MEANT[given]}?` : "");
