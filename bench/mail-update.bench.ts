import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Scenario } from "./support/scenario.ts";

const SIZES = { full: { rounds: 11, times: 20 }, moment: { rounds: 0, times: 2 } };

const bounds = { time: { on: "ratio", at_most: 5 } } as const;

export const scenario: Scenario = {
  name: "mail-update",
  measures: "A change of a hundred mails of a mailbox in one call, against a change of one",
  bounds,
  async run(effort) {
    const { rounds, times } = SIZES[effort];
    await using child = new Child("mail-update");
    await child.ready;
    const pairs = await interleaved(
      rounds,
      () => child.ask<number>("all", { times }),
      () => child.ask<number>("one", { times }),
    );
    return [figure("a change of a hundred", pairs, { unit: "ms", bound: bounds.time })];
  },
};
