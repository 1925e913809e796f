import { spawnSync } from "node:child_process";
import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const WORKERS = 8;
const SIZES = { full: { count: 1600, rounds: 9 }, moment: { count: 16, rounds: 0 } };

const bounds = { rate: { on: "ratio", at_least: 0.3 } } as const;

/** What the hub is compared with: bare SQLite, and for information queues from npm. */
const SIDES = {
  "bare-queue": { name: "bare SQLite", bound: bounds.rate },
  "plainjob-queue": { name: "plainjob", bound: null },
  "bullmq-queue": { name: "BullMQ", bound: null },
};

export const scenario: Scenario = {
  name: "task-sqlite",
  measures:
    "Tasks that 8 workers claim and complete in the hub's own process, against bare SQLite in the same batches, and queues from npm that are as durable",
  bounds,
  async run(effort) {
    const { count, rounds } = SIZES[effort];
    const round = { count, workers: WORKERS };
    await using hub = new Child("task-queue");
    await hub.ready;
    const measure = async (child: Child): Promise<number> => {
      await child.ask("fill", round);
      return child.ask<number>("work", round);
    };
    const figures: Figure[] = [];
    for (const [program, { name, bound }] of Object.entries(SIDES)) {
      if (program === "bullmq-queue" && !hasRedis()) {
        console.error("redis-server is not installed: BullMQ is left out.");
        continue;
      }
      await using other = new Child(program);
      await other.ready;
      const pairs = await interleaved(
        rounds,
        () => measure(hub),
        () => measure(other),
      );
      figures.push(figure(`claims and completions, against ${name}`, pairs, { unit: "a second", bound }));
    }
    return figures;
  },
};

const hasRedis = (): boolean => spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status === 0;
