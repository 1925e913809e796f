import { whilePosting } from "./support/posting.ts";
import { figure } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { requests: 2000, rounds: 25 }, moment: { requests: 100, rounds: 0 } };

const bounds = { delay: { on: "difference", at_most: 20 } } as const;

export const scenario: Scenario = {
  name: "stall",
  measures:
    "How late the event loop is (p99) while 64 connections post, against the bare node:http server under the same load",
  bounds,
  async run(effort) {
    const { requests, rounds } = SIZES[effort];
    const pairs = await whilePosting(rounds, (load) =>
      load.during(requests, async (fire) => {
        await load.server.ask("watch_delays");
        await fire();
        return load.server.ask<number>("delays");
      }),
    );
    return [figure("p99 of the delay", pairs, { unit: "ms", bound: bounds.delay })];
  },
};
