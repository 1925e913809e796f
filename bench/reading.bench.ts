import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const READS = 400;
const ROUNDS = 15;

const bounds = { time: { on: "ratio", at_most: 1.3 } } as const;

export const scenario: Scenario = {
  name: "reading",
  measures: "chat_read_since of the last 50 messages of 1,000,000, against the last 50 of 1,000",
  bounds,
  async run() {
    await using child = new Child("reading");
    await child.ready;
    const pairs = await interleaved(
      ROUNDS,
      () => child.ask<number>("many", { times: READS }),
      () => child.ask<number>("few", { times: READS }),
    );
    return [figure("time of a read", pairs, { unit: "µs", bound: bounds.time })];
  },
};
