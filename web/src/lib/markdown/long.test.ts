import fc from "fast-check";
import { expect, test } from "vitest";
import { cutOf, isLong } from "./long.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n");

test("a message is long by its letters or by its lines", () => {
  expect([isLong("x".repeat(6000)), isLong("x".repeat(6001)), isLong(lines(61)), isLong(lines(62))]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test("what is shown first is how it begins, a screen of it at most", () => {
  expect(cutOf(lines(100))).toBe(lines(24));
  expect(cutOf("x".repeat(1_000_000))).toHaveLength(2400);
});

test("code that is cut off is ended by the fence that began it", () => {
  const code = lines(40);
  expect(cutOf(`\`\`\`ts\n${code}\n\`\`\``).split("\n").at(-1)).toBe("```");
  expect(cutOf(`~~~~\n\`\`\`\n${code}`).split("\n").at(-1)).toBe("~~~~");
  expect(cutOf(`\`\`\`\ndone\n\`\`\`\n${code}`).split("\n").at(-1)).toBe("line 20");
  expect(cutOf(`\`\`\`\n\`\`\` not the end\n${code}`).split("\n").at(-1)).toBe("```");
});

test("no letter is cut in two, wherever the cut falls", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2380, max: 2420 }), (at) => {
      expect(cutOf("x".repeat(at) + "🦊".repeat(40)).isWellFormed()).toBe(true);
    }),
  );
});
