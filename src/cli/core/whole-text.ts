import { visible } from "../../visible.ts";

/** More of them in a row only push what follows out of sight. */
const MOST_EMPTY_LINES = 2;
const SPACES = /[ \t]{40,}/g;

/** What somebody else wrote is indented, so that it can pass for no line of ours. */
export const indented = (text: string): string => visible(text).replace(/^/gm, "  ");

/** All that somebody wrote, indented so that it passes for no line of ours; of emptiness only how much there is. */
export function wholeText(text: string): string[] {
  if (text.trim() === "") return [];
  const lines: string[] = [];
  let empty = 0;
  const endRun = () => {
    if (empty > MOST_EMPTY_LINES) lines.push(`⋮ ${empty} empty lines`);
    else lines.push(...Array<string>(empty).fill(""));
    empty = 0;
  };
  for (const line of visible(text).split("\n")) {
    if (line.trim() === "") empty += 1;
    else {
      endRun();
      lines.push(line.replace(SPACES, (run) => ` ⋯ ${run.length} spaces ⋯ `));
    }
  }
  endRun();
  return lines.map((line) => `  ${line}`);
}
