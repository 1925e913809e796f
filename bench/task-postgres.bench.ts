import { Child, Server } from "./support/child.ts";
import { benchPostgres } from "./support/postgres.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

/** Of a network between the nodes and their database: there and back. */
const DELAY_MS = "0.7";
const LOOPBACK = "on loopback";
const AWAY = `${DELAY_MS} ms away`;
/** The same 8 workers, on one node or on three. */
const NODES = { "one node": { workers: [8] }, "three nodes": { workers: [3, 3, 2] } };
/** Nodes take turns at the lock of a space, and need none for each other's: what teams that share a database see. */
const APART = { "three nodes, a space each": { workers: [3, 3, 2], apart: true } };
const SIZES = {
  full: { count: 800, rounds: 5, nodes: { ...NODES, ...APART }, places: [LOOPBACK, AWAY] },
  // Starting that many processes is what takes the time.
  moment: { count: 24, rounds: 0, nodes: { "one node": { workers: [2] } }, places: [AWAY] },
};

const bounds = { rate: { on: "ratio", at_least: 1 } } as const;

const PEERS = { "pg-boss": "pg-boss-queue", "graphile-worker": "graphile-queue" };

export const scenario: Scenario = {
  name: "task-postgres",
  measures:
    "Single tasks that 8 workers add, claim and complete on PostgreSQL, against pg-boss and graphile-worker from npm",
  bounds,
  async run(effort) {
    await using postgres = await benchPostgres();
    await using proxy = await Server.start("delay-proxy", { TARGET_PORT: new URL(postgres.url).port, DELAY_MS });
    const away = new URL(postgres.url);
    away.port = String(proxy.port);
    const urls: Record<string, string> = { [LOOPBACK]: postgres.url, [AWAY]: away.href };
    const { count, rounds, nodes, places } = SIZES[effort];
    const figures: Figure[] = [];
    for (const [how, node] of Object.entries<Pick<Setting, "workers" | "apart">>(nodes))
      for (const place of places)
        figures.push(...(await compare(`${how}, ${place}`, { url: urls[place] ?? "", ...node, count, rounds })));
    return figures;
  },
};

interface Setting {
  url: string;
  /** How many on each node. */
  workers: readonly number[];
  /** Each of our nodes works in a space of its own. */
  apart?: boolean;
  count: number;
  rounds: number;
}

async function compare(name: string, setting: Setting): Promise<Figure[]> {
  const figures: Figure[] = [];
  await using ours = await Nodes.start("task-queue", setting);
  for (const [peer, program] of Object.entries(PEERS)) {
    await using theirs = await Nodes.start(program, setting);
    const pairs = await interleaved(
      setting.rounds,
      () => ours.rate("cycle"),
      () => theirs.rate("cycle"),
    );
    figures.push(
      figure(`${name}, against ${peer}`, pairs, { unit: "a second", bound: setting.apart ? null : bounds.rate }),
    );
  }
  return figures;
}

/** So many processes with one database. */
class Nodes implements AsyncDisposable {
  readonly #nodes: Child[] = [];
  readonly #setting: Setting;

  private constructor(setting: Setting) {
    this.#setting = setting;
  }

  static async start(program: string, setting: Setting): Promise<Nodes> {
    await using undo = new AsyncDisposableStack();
    const nodes = undo.use(new Nodes(setting));
    // One after another: the first one makes the tables.
    for (const workers of setting.workers) {
      const env = { DATABASE_URL: setting.url, WORKERS: String(workers), ...(setting.apart && { OWN_SPACE: "1" }) };
      const node = new Child(program, { env });
      nodes.#nodes.push(node);
      await node.ready;
    }
    undo.move();
    return nodes;
  }

  /** A second, all nodes together, until the last one is done. */
  async rate(what: string): Promise<number> {
    const { workers, count } = this.#setting;
    const all = workers.reduce((sum, some) => sum + some, 0);
    const rounds = workers.map((some) => ({ count: Math.round((count * some) / all), workers: some }));
    const started = performance.now();
    await Promise.all(this.#nodes.map((node, at) => node.ask(what, rounds[at])));
    return rounds.reduce((sum, { count }) => sum + count, 0) / ((performance.now() - started) / 1000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node[Symbol.asyncDispose]()));
  }
}
