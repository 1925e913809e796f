const MOST_LETTERS = 6000;
const MOST_LINES = 60;
const SHOWN_LETTERS = 2400;
const SHOWN_LINES = 24;

/** Whether a message is shown in part first. */
export const isLong = (text: string): boolean => text.length > MOST_LETTERS || hasLines(text, MOST_LINES);

/** Its beginning. Code that is cut off in the middle is ended, and no letter is cut in two. */
export function cutOf(text: string): string {
  const lines = text
    .slice(0, SHOWN_LETTERS)
    .replace(/[\uD800-\uDBFF]$/, "")
    .split("\n")
    .slice(0, SHOWN_LINES);
  const fence = openFence(lines);
  return fence === undefined ? lines.join("\n") : [...lines, fence].join("\n");
}

/** What would end the code block that the lines leave open. */
function openFence(lines: readonly string[]): string | undefined {
  let open: string | undefined;
  for (const line of lines) {
    const [, fence, rest] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    // Ended by the same sign, as often at least, and nothing behind it.
    else if (fence[0] === open[0] && fence.length >= open.length && rest?.trim() === "") open = undefined;
  }
  return open;
}

function hasLines(text: string, most: number): boolean {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) if (++lines > most) return true;
  return false;
}
