import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = {
  full: { messages: 1_000_000, times: 400, rounds: 15 },
  moment: { messages: 2000, times: 5, rounds: 0 },
};

const bounds = { time: { on: "ratio", at_most: 1.3 } } as const;

export const scenario: Scenario = {
  name: "reading",
  measures: "chat_read_since of the last 50 messages of 1,000,000, against the last 50 of 1,000",
  bounds,
  async run(effort) {
    const { messages, times, rounds } = SIZES[effort];
    await using child = new Child("reading", { env: { BENCH_MANY: String(messages) } });
    await child.ready;
    const pairs = await interleaved(
      rounds,
      () => child.ask<number>("many", { times }),
      () => child.ask<number>("few", { times }),
    );
    return [figure("time of a read", pairs, { unit: "µs", bound: bounds.time })];
  },
};
