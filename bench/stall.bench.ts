import { whilePosting } from "./support/posting.ts";
import { figure } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const REQUESTS = 2000;
const ROUNDS = 25;

const bounds = { delay: { on: "difference", at_most: 20 } } as const;

export const scenario: Scenario = {
  name: "stall",
  measures:
    "How late the event loop is (p99) while 64 connections post, against the bare node:http server under the same load",
  bounds,
  async run() {
    const pairs = await whilePosting(ROUNDS, (load) =>
      load.during(REQUESTS, async (fire) => {
        await load.server.ask("watch_delays");
        await fire();
        return load.server.ask<number>("delays");
      }),
    );
    return [figure("p99 of the delay", pairs, { unit: "ms", bound: bounds.delay })];
  },
};
