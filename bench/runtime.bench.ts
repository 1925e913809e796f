import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = {
  full: { posts: 100, rounds: 7, agents: 100, messages: 1000, events: 100_000 },
  moment: { posts: 5, rounds: 0, agents: 3, messages: 20, events: 1000 },
};

const bounds = {
  in_process: { on: "ours", at_most: 20 },
  over_http: { on: "ours", at_most: 50 },
  caught_up: { on: "ratio", at_most: 2 },
  idle: { on: "ours", at_most: 200 },
  folded: { on: "ratio", at_least: 0.3 },
} as const;

export const scenario: Scenario = {
  name: "runtime",
  measures:
    "From a post that is acknowledged to its entry in the agent's log, p95, against a bare post; agents that catch up, against a plain read of their messages; what an idle one holds; and the fold of a log, against a bare loop over it",
  bounds,
  async run(effort) {
    const { posts, rounds, agents, messages, events } = SIZES[effort];
    await using child = new Child("runtime");
    await child.ready;
    const timed = (way: string) =>
      interleaved(
        rounds,
        () => child.ask<number>("injected", { way, posts }),
        () => child.ask<number>("posted", { posts }),
      );
    const inProcess = await timed("in-process");
    const overHttp = await timed("http");
    await child.ask("fill", { agents, messages });
    const caughtUp = await interleaved(
      Math.min(rounds, 3),
      () => child.ask<number>("catchUp"),
      () => child.ask<number>("readAll"),
    );
    const idle = await interleaved(
      Math.min(rounds, 1),
      () => child.ask<number>("idle"),
      async () => 1,
    );
    const folded = await interleaved(
      rounds,
      () => child.ask<number>("folded", { events }),
      () => child.ask<number>("looped", { events }),
    );
    return [
      figure("in process", inProcess, { unit: "ms", bound: bounds.in_process }),
      figure("over HTTP", overHttp, { unit: "ms", bound: bounds.over_http }),
      figure("caught up", caughtUp, { unit: "ms", bound: bounds.caught_up }),
      figure("idle agent", idle, { unit: "KiB", bound: bounds.idle }),
      figure("folded", folded, { unit: "events/s", bound: bounds.folded }),
    ];
  },
};
