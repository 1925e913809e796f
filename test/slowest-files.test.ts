import { expect, test } from "vitest";
import { slowestFiles } from "../scripts/slowest-files.ts";

test("a run names the ten slowest files of each project, the slowest first, and what all took", () => {
  const unit = Array.from({ length: 12 }, (_, n) => ({ project: "unit", file: `src/${n}.test.ts`, seconds: n + 0.25 }));
  const lines = slowestFiles([...unit, { project: "web", file: "web/page.test.ts", seconds: 2 }]);
  expect(lines.filter((line) => line.startsWith("Slowest"))).toEqual([
    "Slowest of unit, 12 files with 69.0 s in all:",
    "Slowest of web, 1 files with 2.0 s in all:",
  ]);
  expect(lines.slice(1, 3)).toEqual(["   11.3 s  src/11.test.ts", "   10.3 s  src/10.test.ts"]);
  expect(lines).toHaveLength(13);
  expect(lines.join("\n")).not.toContain("src/1.test.ts");
});
