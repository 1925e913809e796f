import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const FEW = { finished: 400, waiting: 600, keys: 0 };
const SIZES = {
  full: {
    stocks: {
      few: FEW,
      many: { finished: 1_000_000, waiting: 100_000, keys: 0 },
      keys: { finished: 1000, waiting: 100_000, keys: 1000 },
    },
    times: 10,
    rounds: 11,
  },
  moment: {
    stocks: {
      few: FEW,
      many: { finished: 2000, waiting: 100, keys: 0 },
      keys: { finished: 10, waiting: 100, keys: 10 },
    },
    times: 5,
    rounds: 0,
  },
};

const bounds = { time: { on: "ratio", at_most: 1.3 } } as const;

const NAMES = { many: "1,000,000 finished and 100,000 waiting", keys: "100,000 waiting under 1,000 keys" };

export const scenario: Scenario = {
  name: "task-claim",
  measures: "A claim and a completion by one worker among very many tasks, against the same among 1,000",
  bounds,
  async run(effort) {
    const { stocks, times, rounds } = SIZES[effort];
    await using child = new Child("task-claim", { env: { BENCH_STOCKS: JSON.stringify(stocks) } });
    await child.ready;
    const figures: Figure[] = [];
    for (const [size, name] of Object.entries(NAMES))
      for (const what of ["claim", "completion"]) {
        const pairs = await interleaved(
          rounds,
          () => child.ask<number>("time", { size, what, times }),
          () => child.ask<number>("time", { size: "few", what, times }),
        );
        const bound = what === "claim" ? bounds.time : null;
        figures.push(figure(`${what}, ${name}`, pairs, { unit: "µs", bound }));
      }
    return figures;
  },
};
