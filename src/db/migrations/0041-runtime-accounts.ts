import type { Columns } from "../columns.ts";

/** Whose quota an agent's turns use; null for the account that is everybody's. */
export const up = ({ key }: Columns): string[] => [`alter table runtimes add column account ${key}`];
