import type { Tools } from "#lib/hub/types.ts";

type Search = Tools["mail_search"]["input"];
type Folder = NonNullable<Search["folder"]>;

export interface Query {
  input: Search;
  /** What was not understood, in words. */
  problems: string[];
  /** The operators, the words and the phrases as they were written, for taking one away. */
  operators: string[];
  words: string[];
}

const FOLDERS: Record<string, Folder> = {
  inbox: "inbox",
  archived: "archived",
  archive: "archived",
  trash: "trash",
  snoozed: "snoozed",
  sent: "sent",
};
const DAY = /^\d{4}-\d\d-\d\d$/;
const AGE = /^\d{1,6}[hdw]$/;
const OPERATOR = /^(from|to|is|in|before|after|has):(.+)$/i;

/** Reads `from:scout to:mason is:unread in:archived before:2026-11-01 after:7d words "and phrases"`. */
export function parseQuery(text: string): Query {
  const query: Query = { input: {}, problems: [], operators: [], words: [] };
  for (const word of partsOf(text)) {
    const [, name, value] = OPERATOR.exec(word) ?? [];
    if (name === undefined || value === undefined) {
      query.words.push(word);
      continue;
    }
    query.operators.push(word);
    const problem = take(query.input, name.toLowerCase(), value);
    if (problem) query.problems.push(problem);
  }
  if (query.words.length > 0) query.input.query = query.words.join(" ");
  return query;
}

const partsOf = (text: string): string[] => text.match(/"[^"]*"?|\S+/g) ?? [];

/** What is wrong with it, or nothing. */
function take(input: Search, name: string, value: string): string | undefined {
  if (name === "from" || name === "to") {
    if (!/^[A-Za-z0-9._-]{1,40}$/.test(value)) return `${name}: “${value}” is not a name.`;
    input[name] = value;
  } else if (name === "is") {
    if (value.toLowerCase() !== "unread") return `is: knows only “unread”, not “${value}”.`;
    input.unread = true;
  } else if (name === "in") {
    const folder = FOLDERS[value.toLowerCase()];
    if (!folder) return `in: knows inbox, archived, snoozed, sent and trash, not “${value}”.`;
    input.folder = folder;
  } else if (name === "has") {
    return "has: is not known here. Known are from:, to:, is:unread, in:, before: and after:.";
  } else {
    const time = timeOf(value);
    if (time === undefined) return `${name}: write a day such as 2026-11-01, or an age such as 7d, not “${value}”.`;
    input[name === "before" ? "until" : "after"] = time;
  }
  return undefined;
}

/** A day begins where the reader is. */
function timeOf(value: string): string | undefined {
  if (AGE.test(value)) return value;
  if (!DAY.test(value)) return undefined;
  const [year = 0, month = 0, day = 0] = value.split("-").map(Number);
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.toISOString() : undefined;
}

/** The same text without one of its parts. */
export const without = (text: string, part: string): string =>
  partsOf(text)
    .filter((other) => other !== part)
    .join(" ");
