import { expect, test } from "vitest";
import { judge } from "../scripts/npm-audit.ts";

const found = (severities: Record<string, string>): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity }]),
    ),
  });

test("a serious vulnerability in what ships stops the tests and is named, a slight one does not", () => {
  expect(judge(found({}))).toEqual({ ok: true, sentence: "No serious vulnerability is known in what ships." });
  expect(judge(found({ left: "low", right: "moderate" })).ok).toBe(true);
  expect(judge(found({ left: "low", zod: "high", pg: "critical" }))).toEqual({
    ok: false,
    sentence: "Known vulnerabilities in what ships: zod (high), pg (critical). See npm audit --omit=dev.",
  });
});

test("a registry that is away, or cannot be asked, is told in a sentence and stops nothing", () => {
  const refused = { message: "405 Method Not Allowed - POST https://example.com/bulk", statusCode: 405, error: {} };
  for (const printed of ["", "npm error network", "{", JSON.stringify(refused)]) {
    const { ok, sentence } = judge(printed);
    expect([ok, sentence]).toEqual([true, expect.stringMatching(/^The registry could not be asked .*today\.$/)]);
  }
  expect(judge(JSON.stringify(refused)).sentence).toContain("405 Method Not Allowed");
});
