/** How markdown is read, by the examples of CommonMark and of GitHub: each is read so, or stands here with a reason. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import commonmark from "commonmark-spec";
import { expect, test } from "vitest";
import { shown, treeOfHtml } from "../../testing/markdown.ts";
import { markdown } from "./markdown.ts";

interface Example {
  number: number;
  markdown: string;
  html: string;
}

const EXAMPLE = /^`{32} .*\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$/gm;
const github = readFileSync(join(import.meta.dirname, "gfm-examples.txt"), "utf8");
const githubs: Example[] = [...github.matchAll(EXAMPLE)].map(([, markdown = "", html = ""], at) => ({
  number: at + 1,
  markdown,
  html,
}));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const HTML = "HTML is shown as the text it is, and markdown around it is read as ever";

/** Of 652. */
const COMMONMARK: Readonly<Record<string, readonly number[]>> = {
  [HTML]: [
    ...[21, 31, ...range(148, 167), ...range(169, 191), 201, 308, 309, 344, 475, 476, 477, 491, 494, 524, 536],
    ...[613, 614, 615, 616, 617, 623, 625, 630, 631, 642, 643],
  ],
  "an address in the text is a link, as GitHub has it": [602, 608, 611, 612],
  "a line feed that is written as a number is white space, and ends no line": [39],
};

/** Of 79. */
const GITHUB: Readonly<Record<string, readonly number[]>> = {
  [HTML]: [24, 46, 57, 63, 68, 71],
  "one ~ means about, and three are two with one beside them": [41, 42, 64, 65],
  "where an address ends is linkify-it's to say: at a bracket that was never opened, and not before &hl;": [17, 18],
  "a name with a plus is taken for a host": [22],
  "an address of mail begins after white space, and one without a scheme is seen where a sentence would end": [43, 50],
  "a note that is not there is text, and its markup is read": [77, 78],
  "an address in <> holds no other <, as CommonMark has it by now": [60],
  "GitHub only wants to survive it": [44],
};

function differing(examples: readonly Example[]): number[] {
  const read = (text: string) => shown(markdown(text.replaceAll("→", "\t")));
  const differs = ({ markdown, html }: Example) => read(markdown) !== shown(treeOfHtml(html.replaceAll("→", "\t")));
  return examples.filter(differs).map(({ number }) => number);
}

const listed = (reasons: Readonly<Record<string, readonly number[]>>) =>
  Object.values(reasons)
    .flat()
    .sort((one, other) => one - other);

test("every example of CommonMark is read as it says, or stands on the list with a reason", () => {
  expect(commonmark.tests).toHaveLength(652);
  expect(differing(commonmark.tests)).toEqual(listed(COMMONMARK));
});

test("every example of GitHub is read as it says, or stands on the list with a reason", () => {
  expect(githubs).toHaveLength(79);
  expect(differing(githubs)).toEqual(listed(GITHUB));
});
