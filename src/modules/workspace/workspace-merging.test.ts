import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf, linesOf, unified } from "./service/comparing.ts";
import { merge } from "./service/merging.ts";

const line = fc.constantFrom("a", "b", "c", "", "the same", "d e f");
const text = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
  .map(([lines, end]) => lines.join("\n") + (end ? "\n" : ""));

/** What somebody does to a text: puts lines of their own here and there, and takes some away. */
const edits = (who: string) =>
  fc.array(fc.record({ at: fc.nat(12), drop: fc.nat(2), add: fc.nat(2) }), { maxLength: 4 }).map((changes) => {
    let made = 0;
    return (base: string): { text: string; added: string[] } => {
      const lines = base.split("\n");
      const added: string[] = [];
      for (const { at, drop, add } of changes) {
        const own = Array.from({ length: add }, (_, n) => `${who} ${made + n}`);
        made += add;
        added.push(...own);
        lines.splice(at, drop, ...own);
      }
      return { text: lines.join("\n"), added: added.filter((own) => lines.includes(own)) };
    };
  });

const both = (current: string, yours: string) => ({
  current: { text: current, name: "theirs" },
  yours: { text: yours, name: "yours" },
});

test("after a merge both find their words, and what neither touched is as it was", () => {
  fc.assert(
    fc.property(text, edits("ana"), edits("ben"), (base, byAna, byBen) => {
      const [ana, ben] = [byAna(base), byBen(base)];
      const { content, conflicts } = merge(base, both(ana.text, ben.text));
      const lines = content.split("\n");
      for (const word of [...ana.added, ...ben.added]) expect(lines).toContain(word);
      expect(content.match(/^<{7} /gm)?.length ?? 0).toBe(conflicts);
      if (conflicts > 0) return;
      // Merged the other way around it is the same text.
      expect(merge(base, both(ben.text, ana.text)).content).toBe(content);
    }),
  );
});

test("where only one of two changed something, that is what comes of it", () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      const closed = (content: string): string =>
        changed.endsWith("\n") || base.endsWith("\n") ? linesOf(content).join("") : content;
      expect(merge(base, both(changed, base))).toEqual({ content: closed(changed), conflicts: 0 });
      expect(merge(base, both(base, changed))).toEqual({ content: closed(changed), conflicts: 0 });
      expect(merge(base, both(changed, changed)).conflicts).toBe(0);
    }),
  );
});

test("what both changed in the same place is marked, with whose it is", () => {
  const { content, conflicts } = merge("one\ntwo\nthree\n", both("one\nTWO\nthree\n", "one\nZWEI\nthree\n"));
  expect([conflicts, content]).toEqual([1, "one\n<<<<<<< theirs\nTWO\n=======\nZWEI\n>>>>>>> yours\nthree\n"]);
});

test("a comparison that would take too long shows all that lies between what is the same", () => {
  const many = (word: string): string => Array.from({ length: 5000 }, (_, n) => `${word} ${n}`).join("\n");
  const old = linesOf(`first\n${many("a")}\nlast`);
  const changes = changesOf(old, linesOf(`first\n${many("b")}\nlast`));
  expect(changes.map(({ from, to, lines }) => [from, to, lines.length])).toEqual([[1, 5001, 5000]]);
});

test("a difference is as `diff -u` shows it", () => {
  const shown = (old: string, now: string): string => unified(linesOf(old), changesOf(linesOf(old), linesOf(now)));
  const numbers = Array.from({ length: 30 }, (_, n) => `${n + 1}`);
  const changed = numbers.toSpliced(0, 1).toSpliced(19, 1, "x", "y");
  expect(shown(numbers.join("\n"), changed.join("\n"))).toBe(
    "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -18,7 +17,8 @@\n 18\n 19\n 20\n-21\n+x\n+y\n 22\n 23\n 24\n",
  );
  expect(shown("", "a\n")).toBe("@@ -0,0 +1,1 @@\n+a\n");
  expect(shown("a\n", "")).toBe("@@ -1,1 +0,0 @@\n-a\n");
  expect(shown("a", "a\n")).toBe("");
});
