import type { Columns } from "../columns.ts";

/** Who has aborted the turn that runs: what it leaves unfinished says so, also where its runtime is gone by then. */
export const up = ({ key }: Columns): string[] => [`alter table runtimes add column abort_by ${key}`];
