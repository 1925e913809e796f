import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { rows: 2000, rounds: 15 }, moment: { rows: 50, rounds: 0 } };

const bounds = { time: { on: "ratio", at_most: 4 } } as const;

export const scenario: Scenario = {
  name: "due",
  measures: "2,000 rows of one space that are due at once, against the same writes in one transaction",
  bounds,
  async run(effort) {
    const { rows, rounds } = SIZES[effort];
    await using child = new Child("due");
    await child.ready;
    const pairs = await interleaved(
      rounds,
      () => child.ask<number>("due", { rows }),
      () => child.ask<number>("one_go", { rows }),
    );
    return [figure("time of all", pairs, { unit: "ms", bound: bounds.time })];
  },
};
