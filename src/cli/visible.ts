/**
 * Text that somebody else wrote must not move the cursor, rename the window or turn
 * the line around. What a terminal would act on is shown as an escape instead.
 *
 * Left alone: tab and newline, and the joiners that emoji and some scripts need.
 */
const ACTED_ON =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Lines stay lines. */
export const visible = (text: string): string => text.replace(ACTED_ON, escaped);

/** For names and other text that has one line: a line break would forge the next one. */
export const visibleLine = (text: string): string => visible(text).replace(/[\n\t]/g, escaped);

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a) return "\\n";
  if (code === 0x09) return "\\t";
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}
