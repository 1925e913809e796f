import { Child } from "./support/child.ts";
import { figure, interleaved } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";

const SIZES = {
  full: { notes: 100_000, versions: 50, times: 100, rounds: 15 },
  moment: { notes: 2000, versions: 2, times: 3, rounds: 0 },
};

const bounds = { notes: { on: "ratio", at_most: 3 }, draft: { on: "ratio", at_most: 1.3 } } as const;

const READS = {
  tag: { what: "time of read_notes by a tag that 20 notes have", bound: bounds.notes },
  text: { what: "time of read_notes by a text that 20 notes have", bound: bounds.notes },
  common: { what: "time of read_notes by a text that all have, the first 20", bound: bounds.notes },
  draft: { what: "time of read_draft", bound: bounds.draft },
};

export const scenario: Scenario = {
  name: "workspace",
  measures:
    "20 of 100,000 notes against 20 of 1,000; a draft of 200 sections with 50 versions each against one version each",
  bounds,
  async run(effort) {
    const { notes, versions, times, rounds } = SIZES[effort];
    const env = { BENCH_NOTES: String(notes), BENCH_VERSIONS: String(versions) };
    await using child = new Child("workspace", { env });
    await child.ready;
    const figures: Figure[] = [];
    for (const [read, { what, bound }] of Object.entries(READS)) {
      const time = (size: string) => child.ask<number>("read", { size, read, times });
      const pairs = await interleaved(
        rounds,
        () => time("many"),
        () => time("few"),
      );
      figures.push(figure(what, pairs, { unit: "µs", bound }));
    }
    return figures;
  },
};
