import { Child } from "./support/child.ts";
import { benchPostgres } from "./support/postgres.ts";
import { figure, type Pair } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const SIZES = {
  full: { spaces: 10_000, at_once: 250, collections: 5 },
  moment: { spaces: 4, at_once: 2, collections: 1 },
};

const bounds = { heap: { on: "ratio", at_most: 1.1 }, size: { on: "ratio", at_most: 1.1 } } as const;

interface Left {
  heap: number;
  size: number;
  used: number;
}

interface Round extends Left {
  /** What was used the day after they had ended. */
  ended: number;
}

export const scenario: Scenario = {
  name: "spaces",
  measures:
    "10,000 spaces that are made, used, archived and removed, and what is left of them, against 10,000 before them",
  bounds,
  async run(effort) {
    await using postgres = await benchPostgres();
    const figures: Figure[] = [];
    for (const [name, env] of Object.entries({ SQLite: {}, PostgreSQL: { DATABASE_URL: postgres.url } }))
      figures.push(...(await measured(name, env, SIZES[effort])));
    return figures;
  },
};

/** An ended one answers so for thirty days, and is looked for once an hour after that. */
const FORGOTTEN_DAYS = 31;

/**
 * What files keep free is used again, so the second time is compared with the first; and within a month the space still says
 * that it has ended, for which a little is kept.
 */
async function measured(name: string, env: Record<string, string>, sizes: (typeof SIZES)["full"]): Promise<Figure[]> {
  await using child = new Child("spaces", { env });
  await child.ready;
  const first = await round(child, sizes);
  const second = await round(child, sizes);
  const pair = (of: keyof Left): Pair[] => [{ ours: second[of], reference: first[of] }];
  const each = (used: number): Pair[] => [{ ours: used / sizes.spaces, reference: 1 }];
  return [
    figure(`heap, on ${name}`, pair("heap"), { unit: "bytes", bound: bounds.heap }),
    figure(`size of the database, on ${name}`, pair("size"), { unit: "bytes", bound: bounds.size }),
    figure(`kept of each space, on ${name}`, each(second.used - first.used), { unit: "bytes", bound: null }),
    figure(`kept of each in its last month, on ${name}`, each(second.ended - second.used), {
      unit: "bytes",
      bound: null,
    }),
  ];
}

async function round(child: Child, { spaces, at_once, collections }: (typeof SIZES)["full"]): Promise<Round> {
  for (let made = 0; made < spaces; made += at_once) await child.ask("make", { count: at_once, made });
  for (let made = 0; made < spaces; made += at_once) await child.ask("end", { made });
  const { used: ended } = await child.ask<Left>("left", { days: 1, collections });
  return { ...(await child.ask<Left>("left", { days: FORGOTTEN_DAYS, collections })), ended };
}
