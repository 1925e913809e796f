/** Letters that joiners do nothing for: between these they could only spell out hidden bits. */
const UNJOINED = ["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Han", "Hiragana", "Katakana", "Hangul"];
const unjoined = UNJOINED.map((script) => String.raw`\p{Script=${script}}`).join("");
const joined = String.raw`[[\p{L}\p{M}]--[${unjoined}]]`;

/**
 * Text that somebody else wrote must not move the cursor, turn the line around, or hold words that a model reads and a
 * person does not see. What shows nothing, or what a terminal would act on, is shown as an escape instead: on terminals,
 * in what people decide about, and in everything that a model is given as text.
 *
 * Left alone: tab and newline, the joiners inside emoji and inside words of scripts that are written with them, and the
 * selector that makes a character an emoji.
 */
const UNSEEN = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]`,
    // Digits are emoji too, if they are the legend of a key.
    String.raw`(?<![\p{Emoji}--[0-9#*]])\ufe0f(?!\u20e3)`,
    String.raw`(?<![0-9#*])\ufe0f(?=\u20e3)`,
    // A mark, such as the selector, may stand before a joiner.
    String.raw`(?<![${joined}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]`,
    String.raw`[\u200c\u200d](?![${joined}\p{Extended_Pictographic}])`,
    // The pattern of Braille that has no dots is no space to who counts those.
    String.raw`(?!\u200c|\u200d|\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Co}\p{Cs}\u2800]`,
  ].join("|"),
  "gv",
);
/** Most text is this and nothing else, and quickly known to be. */
const LATIN = /^[\t\n\x20-\x7e]*$/;

const MOST_KNOWN = 1000;

/** Lines stay lines. */
export const visible = (text: string): string => (LATIN.test(text) ? text : text.replace(UNSEEN, escaped));

/** For names and other text that has one line: a line break would forge the next one. */
export const visibleLine = (text: string): string => visible(text).replace(/[\n\t]/g, escaped);

/** JSON that says the same to who parses it, with nothing unseen in it for who reads it. */
export function visibleJson(value: unknown): string {
  const text = JSON.stringify(value);
  return LATIN.test(text) ? text : text.replace(UNSEEN, escapedInJson);
}

/** There are texts of nothing else, a million of them long. */
function memoised(write: (character: string) => string): (character: string) => string {
  const known = new Map<string, string>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const text = write(character);
    if (known.size < MOST_KNOWN) known.set(character, text);
    return text;
  };
}

const escaped = memoised((character) => {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a) return "\\n";
  if (code === 0x09) return "\\t";
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
});

/** JSON has escapes for the halves of a character alone. */
const escapedInJson = memoised((character) =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
);
