import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const LISTS = 300;
const ROUNDS = 15;

const bounds = { time: { on: "ratio", at_most: 1.3 } } as const;

const MAILBOXES = { heron: "all of it unread", otter: "one of ten unread" };

export const scenario: Scenario = {
  name: "mailbox",
  measures: "The first 20 mails of an inbox with its unread count: a mailbox of 100,000 mails against one of 1,000",
  bounds,
  async run() {
    await using child = new Child("mailbox");
    await child.ready;
    const figures: Figure[] = [];
    for (const [name, what] of Object.entries(MAILBOXES)) {
      const time = (size: string) => child.ask<number>("list", { size, name, times: LISTS });
      const pairs = await interleaved(
        ROUNDS,
        () => time("many"),
        () => time("few"),
      );
      figures.push(figure(`time of a list, ${what}`, pairs, { unit: "µs", bound: bounds.time }));
    }
    return figures;
  },
};
