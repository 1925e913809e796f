/** What markdown asks about single characters. */

const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
/** Made when it is needed: most text has none of it, and it takes a millisecond to make. */
let others: RegExp | undefined;

export function isPunctuation(char: string): boolean {
  if (char < "\u0080") return ASCII_PUNCTUATION.test(char);
  others ??= /[\p{P}\p{S}]/u;
  return others.test(char);
}

/** Before the first and after the last character there is nothing, which is space too. */
export const isSpace = (char: string): boolean => char === "" || /\s/.test(char);

export const isWord = (char: string): boolean =>
  char < "\u0080" ? /[A-Za-z\d]/.test(char) : !isSpace(char) && !isPunctuation(char);

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  bull: "•",
  middot: "·",
  times: "×",
  deg: "°",
  euro: "€",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
};

/** The character that `&name;` or `&#1;` stands for; undefined where it is only text. */
export function characterOf(reference: string): string | undefined {
  const number = /^&#(?:x([\da-f]{1,6})|(\d{1,7}));$/i.exec(reference);
  if (!number) return Object.hasOwn(NAMED, reference.slice(1, -1)) ? NAMED[reference.slice(1, -1)] : undefined;
  const code = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16);
  const isOne = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isOne ? String.fromCodePoint(code) : "\ufffd";
}

/** Without the backslashes that only say "this is no markup". */
export const unescaped = (text: string): string =>
  text
    .replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll(/&(?:#x?[\da-f]{1,7}|[a-z]{2,6});/gi, (reference) => characterOf(reference) ?? reference);

/** The whole of it, also where it is two in JavaScript; nothing after the last. */
export function charAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** An address without the punctuation of its sentence. */
export function withoutTail(address: string): string {
  let end = address.length;
  // One more of these than of their openings is not a part of it.
  let surplus = 0;
  for (const char of address) surplus += char === ")" ? 1 : char === "(" ? -1 : 0;
  for (; end > 0; end -= 1) {
    const char = address[end - 1] ?? "";
    if (char === ")" && surplus > 0) surplus -= 1;
    else if (!/[?!.,:;*_~'"\]]/.test(char)) break;
  }
  return address.slice(0, end);
}
