import type { Columns } from "../columns.ts";

/** Agents that were begun from a place in another's log, and agents whose tools a person has not let them use. */
export const up = ({ key, time, position }: Columns): string[] => [
  `alter table runtimes add column forked_from ${key}`,
  `alter table runtimes add column forked_at ${position}`,
  `alter table runtimes add column tools_off_at ${time}`,
];
