import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

/** How many batches of 1, 10, 100 and 1,000 make a round: some tenths of a second. */
const SIZES = {
  full: { rounds: 15, batches: { 1: 100, 10: 50, 100: 15, 1000: 4 } },
  moment: { rounds: 0, batches: { 1: 2, 10: 2, 100: 1 } },
};

const bounds = { rate: { on: "ratio", at_least: 0.6 } } as const;

/** The module's own function; and for information the same as a tool, with all that is done around one. */
const WAYS = { post: bounds.rate, tool: null };

export const scenario: Scenario = {
  name: "posts",
  measures:
    "Durable posts in the hub's own process, against bare synchronous code that runs the same statements in batches of the same size",
  bounds,
  async run(effort) {
    const { rounds, batches } = SIZES[effort];
    await using child = new Child("posts");
    await child.ready;
    const figures: Figure[] = [];
    for (const [at_once, times] of Object.entries(batches)) {
      const round = { at_once: Number(at_once), times };
      for (const [way, bound] of Object.entries(WAYS)) {
        const pairs = await interleaved(
          rounds,
          () => child.ask<number>(way, round),
          () => child.ask<number>("bare", round),
        );
        figures.push(figure(`${way}, ${at_once} at once`, pairs, { unit: "posts/s", bound }));
      }
    }
    return figures;
  },
};
