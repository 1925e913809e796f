/** No message takes longer to read than its length says: four times as much takes about four times as long. */
import { expect, test } from "vitest";
import { markdown } from "./markdown.ts";

const LONGEST = 64 * 1024;
/** Linear is 4, quadratic 16. */
const MOST = 9;
/** Shorter than this, a clock and a busy machine say more than the text. */
const FEW_MS = 4;

const repeated = (mark: string) => (length: number) => mark.repeat(Math.ceil(length / mark.length)).slice(0, length);
const growing = (line: (at: number) => string) => (length: number) => {
  let text = "";
  for (let at = 1; text.length < length; at += 1) text += line(at);
  return text.slice(0, length);
};

const HARD: Readonly<Record<string, (length: number) => string>> = {
  "a heading of hashes": (length) => `# ${"#".repeat(length)}`,
  "a heading of hashes and more": (length) => `# ${"#".repeat(length)} a`,
  "a line of a table that is spaces": (length) => `|a|b|\n|-|-|\n|${" ".repeat(length)}x`,
  "a divider of a table with spaces": (length) => `a|b\n-|-${" ".repeat(length)}x`,
  "a table with many columns": (length) => `${"|a".repeat(length / 4)}\n${"|-".repeat(length / 4)}`,
  "many tables": repeated("|a\n|-\n"),
  "a table with many rows": (length) => `|a|b|\n|-|-|\n${"|x|y|\n".repeat(length / 6)}`,
  "spaces in a sentence": (length) => `a${" ".repeat(length)}b`,
  "addresses that do not end": repeated("https://["),
  "addresses with brackets": repeated("https://a.b/)"),
  "an address with entities": (length) => `www.a.b/${"&a;".repeat(length / 3)}`,
  "an address with punctuation": (length) => `https://a.b/${".,".repeat(length / 2)}`,
  "at signs": repeated("a@b."),
  "a name and an at sign": (length) => `${"a".repeat(length)}@`,
  "emphasis in emphasis": repeated("*a **b "),
  "emphasis in emphasis, ended": (length) => "*a **b ".repeat(length / 14) + "** c*".repeat(length / 10),
  "emphasis of two kinds": repeated("*a_ "),
  "emphasis that ends twice": (length) => `a**b${"c* ".repeat(length / 3)}`,
  underlines: repeated("a_"),
  "brackets that open": repeated("["),
  "brackets in brackets": (length) => `${"[".repeat(length / 2)}a${"]".repeat(length / 2)}`,
  "links in links": (length) => `${"[".repeat(length / 2)}a${"]()".repeat(length / 6)}`,
  "links that do not end": repeated("[a](b"),
  "titles that do not end": repeated('[a](b "'),
  "images that do not end": repeated("!["),
  "references to one address": (length) => `${"[a] ".repeat(length / 4)}\n\n[a]: b`,
  "many names of addresses": growing((at) => `[a${at}]: b\n`),
  "many footnotes": growing((at) => `[^${at}]\n\n[^${at}]: a\n\n`),
  "one footnote over and over": (length) => `${"[^a]".repeat(length / 4)}\n\n[^a]: x`,
  backticks: repeated("`a``b```c"),
  "more backticks each time": growing((at) => `a${"`".repeat(at)}`),
  "HTML that does not end": repeated("<!--"),
  "a tag that does not end": repeated('<a href="'),
  "quotes in quotes": repeated("> "),
  "quotes in quotes, line by line": (length) => `${">".repeat(Math.sqrt(length))}a\n`.repeat(Math.sqrt(length)),
  "lists in lists": repeated("- "),
  "lists in lists, line by line": growing((at) => `${" ".repeat(2 * at)}- a\n`),
  "a list in a quote in a list": repeated("> - "),
  "items that begin empty": repeated("-\n"),
  "lines without the mark of their quote": (length) => `> a\n${"b\n".repeat(length / 2)}`,
  "underlined headings": repeated("a\n-\n"),
  "dashes and more": (length) => `${"-".repeat(length)}a`,
  tildes: repeated("~~a "),
  backslashes: repeated("\\"),
  "entities that do not end": repeated("&#"),
};

function fastest(text: string, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round += 1) {
    const began = performance.now();
    markdown(text);
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

test.for(Object.entries(HARD))("%s: four times as much takes about four times as long", ([, text]) => {
  const [short, long] = [text(LONGEST / 4), text(LONGEST)];
  markdown(short);
  // A busy machine can make either look slow, and never fast: the best of a few is asked for again before it counts.
  let ratio = Number.POSITIVE_INFINITY;
  for (let tries = 1; tries <= 8 && ratio > MOST; tries += 1)
    ratio = Math.min(ratio, fastest(long, tries) / Math.max(fastest(short, 2 * tries), FEW_MS));
  expect(ratio).toBeLessThanOrEqual(MOST);
});
