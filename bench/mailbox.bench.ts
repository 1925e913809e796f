import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const SIZES = { full: { mails: 100_000, lists: 300, rounds: 15 }, moment: { mails: 2000, lists: 5, rounds: 0 } };

const bounds = { time: { on: "ratio", at_most: 1.3 } } as const;

const MAILBOXES = { heron: "all of it unread", otter: "one of ten unread" };

export const scenario: Scenario = {
  name: "mailbox",
  measures: "The first 20 mails of an inbox with its unread count: a mailbox of 100,000 mails against one of 1,000",
  bounds,
  async run(effort) {
    const { mails, lists, rounds } = SIZES[effort];
    await using child = new Child("mailbox", { env: { BENCH_MANY: String(mails) } });
    await child.ready;
    const figures: Figure[] = [];
    for (const [name, what] of Object.entries(MAILBOXES)) {
      const time = (size: string) => child.ask<number>("list", { size, name, times: lists });
      const pairs = await interleaved(
        rounds,
        () => time("many"),
        () => time("few"),
      );
      figures.push(figure(`time of a list, ${what}`, pairs, { unit: "µs", bound: bounds.time }));
    }
    return figures;
  },
};
