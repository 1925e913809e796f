import { expect, test } from "vitest";
import { costWords } from "./cost.ts";

test("an amount is shown in cents, and what is less than one by the digits that tell it apart", () => {
  const cases: [number, string][] = [
    [0, "$0.00"],
    [1.2, "$1.20"],
    [1234.567, "$1234.57"],
    [0.01, "$0.01"],
    [0.009_99, "$0.01"],
    [0.004, "$0.004"],
    [0.0045, "$0.0045"],
    [0.000_123_4, "$0.00012"],
    [0.000_001, "$0.000001"],
    [0.000_000_1, "$0.000001"],
  ];
  for (const [usd, words] of cases) expect([usd, costWords(usd)]).toEqual([usd, words]);
});
