import { Child, Server } from "./support/child.ts";
import { benchPostgres } from "./support/postgres.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const SIZES = {
  full: { rounds: 7, times: 4, at_once: 500, nodes: 3 },
  moment: { rounds: 0, times: 1, at_once: 20, nodes: 1 },
};
/** Of a network between the nodes and their database: there and back. */
const DELAY_MS = "0.7";

const bounds = { rate: { on: "ratio", at_least: 0.2 }, away: { on: "ratio", at_least: 0.1 } } as const;

export const scenario: Scenario = {
  name: "postgres",
  measures:
    "Posts and mails of one space on PostgreSQL, many at once, against a bare client that writes the same events and messages in batches of the same size",
  bounds,
  async run(effort) {
    const sizes = SIZES[effort];
    const { rounds, times, at_once } = sizes;
    await using postgres = await benchPostgres();
    const figures: Figure[] = [];
    {
      await using node = await startNode(postgres.url);
      await using bare = await startBare(postgres.url);
      for (const way of ["post", "keyed", "mail"]) {
        const pairs = await interleaved(
          rounds,
          () => node.ask<number>(way, { at_once, times }),
          () => bare.ask<number>("post", { at_once, times }),
        );
        const bound = way === "post" ? bounds.rate : null;
        figures.push(figure(`${NAMES[way]}, one node`, pairs, { unit: "a second", bound }));
      }
    }
    figures.push(await farAway(postgres.url, sizes));
    return figures;
  },
};

const NAMES: Record<string, string> = { post: "posts", keyed: "posts with a key", mail: "mails" };

/** Three nodes, and a network between them and the database. */
async function farAway(url: string, { rounds, times, at_once, nodes: count }: (typeof SIZES)["full"]): Promise<Figure> {
  await using proxy = await Server.start("delay-proxy", { TARGET_PORT: new URL(url).port, DELAY_MS });
  const away = new URL(url);
  away.port = String(proxy.port);
  await using nodes = new AsyncDisposableStack();
  const three: Child[] = [];
  for (let node = 0; node < count; node += 1) three.push(nodes.use(await startNode(away.href)));
  const bare = nodes.use(await startBare(away.href));
  const round = { at_once: Math.ceil(at_once / three.length), times };
  const pairs = await interleaved(
    rounds,
    async () => sum(await Promise.all(three.map((node) => node.ask<number>("post", round)))),
    () => bare.ask<number>("post", { at_once, times }),
  );
  return figure(`posts, three nodes, ${DELAY_MS} ms away`, pairs, { unit: "a second", bound: bounds.away });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

async function startNode(url: string): Promise<Child> {
  const node = new Child("postgres-node", { env: { DATABASE_URL: url } });
  await node.ready;
  return node;
}

async function startBare(url: string): Promise<Child> {
  const bare = new Child("bare-postgres", { env: { DATABASE_URL: url } });
  await bare.ready;
  return bare;
}
