const MOST_LETTERS = 6000;
const MOST_LINES = 60;
const SHOWN_LETTERS = 2400;
const SHOWN_LINES = 24;

/** Whether a message is shown in part first. */
export const isLong = (text: string): boolean => text.length > MOST_LETTERS || hasLines(text, MOST_LINES);

/** Its beginning, up to the end of a line where one is near. */
export function cutOf(text: string): string {
  const lines = text.slice(0, SHOWN_LETTERS).split("\n").slice(0, SHOWN_LINES);
  const cut = lines.join("\n");
  // An open fence would take in nothing, a half one would look like text.
  const fences = cut.match(/^\s*(```|~~~)/gm)?.length ?? 0;
  return fences % 2 === 1 ? `${cut}\n\`\`\`` : cut;
}

function hasLines(text: string, most: number): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > most) return true;
  return false;
}
