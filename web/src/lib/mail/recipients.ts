import { byName } from "#lib/names.ts";

/** The names in a line of recipients, each once. */
export const namesIn = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ""))];

/** Who may be meant by what was typed last, without those who are named already. */
export function suggestions(text: string, known: readonly string[], most = 8): string[] {
  const typed = /[^\s,;]*$/.exec(text)?.[0].toLowerCase() ?? "";
  const named = new Set(namesIn(text).map((name) => name.toLowerCase()));
  const fitting = known.filter((name) => !named.has(name.toLowerCase()) && name.toLowerCase().includes(typed));
  // Those that begin with it are meant more often than those that have it somewhere.
  const begins = (name: string): number => (name.toLowerCase().startsWith(typed) ? 0 : 1);
  return fitting.toSorted((a, b) => begins(a) - begins(b) || byName(a, b)).slice(0, most);
}

/** The line with a suggestion in place of what was typed last. */
export const withName = (text: string, name: string): string => `${text.replace(/[^\s,;]*$/, "")}${name}, `;
