import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { events: 5000, rounds: 15 }, moment: { events: 200, rounds: 0 } };

const bounds = { rate: { on: "ratio", at_least: 0.4 } } as const;

export const scenario: Scenario = {
  name: "consuming",
  measures:
    "Events that a consumer with a mark handles, against a bare loop with the same statements, a hundred a commit",
  bounds,
  async run(effort) {
    const { events, rounds } = SIZES[effort];
    await using child = new Child("consuming");
    await child.ready;
    const pairs = await interleaved(
      rounds,
      () => child.ask<number>("consumed", { events }),
      () => child.ask<number>("bare", { events }),
    );
    return [figure("rate", pairs, { unit: "events/s", bound: bounds.rate })];
  },
};
