import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shown } from "../../testing/markdown.ts";
import { markdown } from "./markdown.ts";
import { hostOf, type Part, type Piece } from "./tree.ts";

const read = (text: string): string => shown(markdown(text));
/** What is in the one paragraph there is. */
const line = (text: string): string => /^<p>(.*)<\/p>$/s.exec(read(text))?.[1] ?? read(text);

test("emphasis is read as GitHub reads it, and stars and underlines that mean nothing stay", () => {
  const cases: [text: string, shown: string][] = [
    ["**a** and *b* and __c__ and _d_", "<strong>a</strong> and <em>b</em> and <strong>c</strong> and <em>d</em>"],
    ["***both***", "<em><strong>both</strong></em>"],
    ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
    ["*a **b***", "<em>a <strong>b</strong></em>"],
    ["~~gone~~ and ~5 minutes, ~10 at most", "<del>gone</del> and ~5 minutes, ~10 at most"],
    ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
    ["in the mid*dle* of", "in the mid<em>dle</em> of"],
    ["**never closed and \\*escaped\\*", "**never closed and *escaped*"],
    ["**“quoted”** 😀**a**", "<strong>“quoted”</strong> 😀<strong>a</strong>"],
    ["******", "<hr>"],
    ["a ********** b", "a ********** b"],
  ];
  for (const [text, expected] of cases) expect(line(text)).toBe(expected);
});

test("what stands in code is not looked at", () => {
  expect(line("`**a** <b> &amp;`")).toBe("<code>**a** <b> &amp;</code>");
  expect(line("`` a ` b `` and ` ` and `open")).toBe("<code>a ` b</code> and <code> </code> and `open");
  expect(read("```ts\nconst a = `b`;\n\n**c**\n```\nafter")).toBe("<pre ts>const a = `b`;\n\n**c**</pre><p>after</p>");
  expect(read("~~~\n```\n~~~")).toBe("<pre>```</pre>");
  expect(read("```\nnever closed")).toBe("<pre>never closed</pre>");
  expect(read("- a\n\n      deep\n\nb")).toBe("<ul><li><p>a</p><pre>deep</pre></li></ul><p>b</p>");
});

test("a link names its host unless its text does, and what is no address to follow is only text", () => {
  const cases: [text: string, shown: string][] = [
    ["[a *b*](https://c.example/d)", "<a https://c.example/d>a <em>b</em></a><host> (c.example)</host>"],
    ["[c.example](https://c.example)", "<a https://c.example>c.example</a>"],
    ["[evil.example](https://c.example)", "<a https://c.example>evil.example</a><host> (c.example)</host>"],
    ['[a](<https://c.example/x y> "title")', "<a https://c.example/x%20y>a</a><host> (c.example)</host>"],
    ["[a](https://c.example/b_(c))", "<a https://c.example/b_(c)>a</a><host> (c.example)</host>"],
    ["[a](javascript:b) [c](/d) [e](data:f)", "a c e"],
    ["[a](JaVaScRiPt&colon;b) [c](  javascript:d)", "a c"],
    ["![a](https://c.example/d.png)", "<a https://c.example/d.png>Image: a</a><host> (c.example)</host>"],
    ["[![a](https://b.example)](https://c.example)", "<a https://c.example>Image: a</a><host> (c.example)</host>"],
    [
      "[a [b](https://c.example) d](https://e.example)",
      "[a <a https://c.example>b</a><host> (c.example)</host> d](<a https://e.example>https://e.example</a>)",
    ],
    [
      "[a][1] and [1]\n\n[1]: https://c.example",
      "<a https://c.example>a</a><host> (c.example)</host> and <a https://c.example>1</a><host> (c.example)</host>",
    ],
    ["[open and ] closed [a](b", "[open and ] closed [a](b"],
  ];
  for (const [text, expected] of cases) expect(line(text)).toBe(expected);
});

test("an address in the text is a link, without the punctuation around it", () => {
  const cases: [text: string, shown: string][] = [
    ["see https://a.example/b_c_d.", "see <a https://a.example/b_c_d>https://a.example/b_c_d</a>."],
    ["(https://a.example/b_(c))", "(<a https://a.example/b_(c)>https://a.example/b_(c)</a>)"],
    ["**https://a.example**", "<strong><a https://a.example>https://a.example</a></strong>"],
    ["www.a.example, xhttps://b.example", "<a http://www.a.example>www.a.example</a>, xhttps://b.example"],
    [
      "<https://a.example?b> <c@d.example>",
      "<a https://a.example?b>https://a.example?b</a> <a mailto:c@d.example>c@d.example</a>",
    ],
    ["first_last@a.example or @all", "<a mailto:first_last@a.example>first_last@a.example</a> or @all"],
    ["https:// and https:///x", "https:// and https:///x"],
  ];
  for (const [text, expected] of cases) expect(line(text)).toBe(expected);
});

test("HTML is what somebody said, and what stands for a character is that character", () => {
  expect(line('<img src=x onerror="a"> <b>**c**</b>')).toBe('<img src=x onerror="a"> <b><strong>c</strong></b>');
  expect(line('<a href="https://a.example">*x*</a> a < b')).toBe('<a href="https://a.example"><em>x</em></a> a < b');
  expect(line("&lt;b&gt; &amp; &#65;&#x42; &nbsp;| &nothing; &#0; AT&T")).toBe(
    "<b> & AB \u00a0| &nothing; \ufffd AT&T",
  );
});

test("lists nest, are tight or loose, count on from their first number, and may be ticked off", () => {
  expect(read("- a\n- b\n  - c\n    1. d\n- e")).toBe(
    "<ul><li>a</li><li>b<ul><li>c<ol><li>d</li></ol></li></ul></li><li>e</li></ul>",
  );
  expect(read("3. a\n4. b\n\ntext")).toBe("<ol 3><li>a</li><li>b</li></ol><p>text</p>");
  expect(read("- a\n\n- b")).toBe("<ul><li><p>a</p></li><li><p>b</p></li></ul>");
  expect(read("1. a\n   ```\n   b\n   ```\n2. c")).toBe("<ol><li>a<pre>b</pre></li><li>c</li></ol>");
  expect(read("- [ ] a\n- [x] b\n- c [x]")).toBe("<ul><li><task>a</li><li><task done>b</li><li>c [x]</li></ul>");
  expect(read("* a\n+ b")).toBe("<ul><li>a</li></ul><ul><li>b</li></ul>");
  expect(read("text:\n- a\nlazy\n\nIt was\n1984. A year")).toBe(
    "<p>text:</p><ul><li>a<br>lazy</li></ul><p>It was<br>1984. A year</p>",
  );
});

test("footnotes stand at the end with their numbers, and what is nested too deep is shown as it was written", () => {
  expect(read("a[^x] b[^y] c[^x]\n\n[^y]: *Y*\n[^x]: X\n[^z]: nobody asks")).toBe(
    "<p>a<sup>1</sup> b<sup>2</sup> c<sup>1</sup></p><notes><li><p>X</p></li><li><p><em>Y</em></p></li></notes>",
  );
  expect(line("a[^nobody] and ^[b]")).toBe("a[^nobody] and ^[b]");
  const deep = `${"> ".repeat(100)}the end`;
  expect(read(deep)).toBe(`<pre>${deep}</pre>`);
});

test("headings, quotes, rules and tables stand on their own, and every end of a line is one", () => {
  expect(read("# a #\n## b\ntext\n---\nc\n===\n#no")).toBe("<h3>a</h3><h4>b</h4><h4>text</h4><h3>c</h3><p>#no</p>");
  expect(read("> a\n> > b\nlazy\n\nc")).toBe(
    "<blockquote><p>a</p><blockquote><p>b<br>lazy</p></blockquote></blockquote><p>c</p>",
  );
  expect(read("a\n\n***\nb  \nc\\\nd\r\ne")).toBe("<p>a</p><hr><p>b<br>c<br>d<br>e</p>");
  expect(read("as follows:\n| a | b |\n|:--|--:|\n| *c* | d \\| e |\n| f |\n\ng")).toBe(
    "<p>as follows:</p><table><thead><tr><th left>a</th><th right>b</th></tr></thead><tbody><tr><td left><em>c</em></td><td right>d | e</td></tr><tr><td left>f</td><td right></tr></tbody></table><p>g</p>",
  );
  expect(read("a | b\n--- | --- | ---")).toBe("<p>a | b<br>--- | --- | ---</p>");
});

const MARKS = [
  ..."*_~`[]()<>!&#|\\-+.:@\"' \n\t",
  "a",
  "1",
  "😀",
  "  ",
  "\n\n",
  "```",
  "](",
  "https://a.b",
  "1. ",
  "- ",
  "> ",
];
const written = fc.array(fc.constantFrom(...MARKS), { maxLength: 120 }).map((marks) => marks.join(""));

function everyPart(pieces: readonly Piece[], depth = 1): { part: Part; depth: number }[] {
  return pieces.flatMap((piece) =>
    typeof piece === "string" ? [] : [{ part: piece, depth }, ...everyPart(piece.pieces, depth + 1)],
  );
}

test("whatever is written, it leads only to addresses that can be followed, and no link is in another", () => {
  fc.assert(
    fc.property(written, (text) => {
      for (const { part } of everyPart(markdown(text))) {
        expect(part.href === undefined || hostOf(part.href) !== undefined).toBe(true);
        if (part.tag === "a") expect(everyPart(part.pieces).filter(({ part }) => part.tag === "a")).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

test("whatever is written, no letter is lost or doubled", () => {
  const marks = MARKS.filter((mark) => !/[[\]:]/.test(mark));
  const letters = (text: string): number => text.split("a").length - 1;
  const said = (pieces: readonly Piece[]): string =>
    pieces.map((piece) => (typeof piece === "string" ? piece : (piece.lang ?? "") + said(piece.pieces))).join("");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...marks), { maxLength: 120 }), (marks) => {
      // A fence says one word of what is in it, and a table has as many cells as its head.
      const text = marks.join("").replaceAll(/[`~|]/g, "");
      expect(letters(said(markdown(text)))).toBe(letters(text));
    }),
    { numRuns: 1000 },
  );
});

test("64 KB of what is hardest to read are read, and are not nested deeper than a page can be", () => {
  const hard = [
    "[",
    "![",
    "](",
    "[a](",
    "[a](b",
    "*",
    "*a **b ",
    "_a",
    "a_",
    "~~a ",
    "`",
    "`a``b```c",
    "<",
    "<!--",
    "&#",
  ];
  const harder = [
    "> ",
    "- ",
    "1. ",
    "> - ",
    "  - a\n",
    "|a\n|-\n",
    "\\\n",
    "@",
    "a@b.",
    "https://a.b/)",
    "[a]: b\n",
    "***a**",
  ];
  for (const mark of [...hard, ...harder, "*a **b ".repeat(4000) + "** c*".repeat(4000)]) {
    const text = mark.repeat(Math.ceil(65_536 / mark.length)).slice(0, 65_536);
    const deepest = everyPart(markdown(text)).reduce((most, { depth }) => Math.max(most, depth), 0);
    expect(deepest).toBeLessThan(100);
  }
});

test("nothing in the page makes HTML of text: Svelte would let it through where the hub's policy does not", () => {
  const sources = join(import.meta.dirname, "../..");
  const files = globSync("**/*.{ts,svelte}", { cwd: sources }).filter((path) => !path.endsWith(".test.ts"));
  expect(files).toContain(join("lib", "markdown", "Body.svelte"));
  const makesHtml = /\{@html|innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|document\.write|DOMParser/;
  expect(files.filter((path) => makesHtml.test(readFileSync(join(sources, path), "utf8")))).toEqual([]);
});
