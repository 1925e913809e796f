import type { Dialect, Start } from "./dialect.ts";

/** A program of the owner's own: it reads its prompt on its standard input, and words in braces are filled in. */
export const plain: Dialect = {
  chooses_session: true,
  argv: (start) => start.program.argv.map((word) => filledIn(word, start)),
  read: () => {},
};

/** In one pass: what is filled in is not looked at again. */
function filledIn(word: string, { prompt, session_id, session_key, name, url }: Start): string {
  const words: Record<string, string> = { prompt, session_id: session_id ?? "", session_key, name, url };
  return word.replace(/\{\{([a-z_]+)\}\}/g, (whole, key: string) =>
    Object.hasOwn(words, key) ? (words[key] ?? "") : whole,
  );
}
