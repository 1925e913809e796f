/** That what the documents say about the program is still so. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { reference } from "../scripts/reference.ts";

const read = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
const documents = globSync(["*.md", "docs/**/*.md"]).map((path) => path.replaceAll("\\", "/"));

test("docs/reference is what the definitions say now", async () => {
  for (const [path, text] of await reference())
    expect(read(path), `${path} is stale. Run: npm run reference`).toBe(text);
});

test("every test that GUARANTEES.md and SECURITY.md name exists under that title", () => {
  for (const document of ["docs/GUARANTEES.md", "SECURITY.md"]) {
    const named = testsNamedIn(document);
    expect(named.length, document).toBeGreaterThan(10);
    expect(named.filter(({ path, title }) => !titlesIn(read(path)).has(title))).toEqual([]);
  }
});

test("links between the documents lead somewhere", () => {
  const broken = documents.flatMap((path) =>
    linksIn(read(path))
      .filter((target) => !existsSync(posix.join(posix.dirname(path), target)))
      .map((target) => `${path} -> ${target}`),
  );
  expect(broken).toEqual([]);
});

test("the README has no more than 150 lines", () => {
  expect(read("README.md").split("\n").length).toBeLessThanOrEqual(150);
});

test("test titles are found however they are quoted, and nothing else is taken for one", () => {
  const text = 'test("a\\"b", f);\n  test(`c`, f);\ntest.each([1])(\'d\', f);\nit(\n  "e", f);\nconst f = \'x\';';
  expect([...titlesIn(text)]).toEqual(['a"b', "c", "d", "e"]);
});

/** A link to a test file, and each title in typographic quotes that follows it. */
function testsNamedIn(document: string): { path: string; title: string }[] {
  const links = /\]\(([^)]+\.test\.ts)\)((?:[\s,:]*“[^”]+”)*)/g;
  return [...read(document).matchAll(links)].flatMap(([, target = "", quoted = ""]) => {
    const path = posix.join(posix.dirname(document), target);
    const titles = [...quoted.matchAll(/“([^”]+)”/g)].map(([, title = ""]) => title.replaceAll(/\s+/g, " "));
    // A file alone keeps no promise: it counts as a title that no test has.
    return (titles.length > 0 ? titles : [""]).map((title) => ({ path, title }));
  });
}

function titlesIn(text: string): Set<string> {
  const calls = /\b(?:test|it)(?:\.\w+(?:\([^\n]*?\))?)*\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return new Set([...text.matchAll(calls)].map(([, , title = ""]) => title.replaceAll(/\\(.)/g, "$1")));
}

/** Files that are linked to, without what is on the network, in this file or in a code block. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}
