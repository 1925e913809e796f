import { Child } from "./support/child.ts";
import { benchPostgres } from "./support/postgres.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const SIZES = { full: { count: 1000, rounds: 5 }, moment: { count: 10, rounds: 0 } };

const bounds = { time: { on: "ours", at_most: 2000 } } as const;

export const scenario: Scenario = {
  name: "cron-slot",
  measures:
    "1,000 cron triggers that are due in the same second, until all have fired, beside as many tasks made at once",
  bounds,
  async run(effort) {
    const { count, rounds } = SIZES[effort];
    await using postgres = await benchPostgres();
    const figures: Figure[] = [];
    for (const [name, env] of Object.entries({ SQLite: {}, PostgreSQL: { DATABASE_URL: postgres.url } })) {
      await using child = new Child("cron-slot", { env });
      await child.ready;
      await child.ask("make", { count });
      const pairs = await interleaved(
        rounds,
        () => child.ask<number>("fire", { count }),
        () => child.ask<number>("tasks", { count }),
      );
      figures.push(figure(`all have fired, on ${name}`, pairs, { unit: "ms", bound: bounds.time }));
    }
    return figures;
  },
};
