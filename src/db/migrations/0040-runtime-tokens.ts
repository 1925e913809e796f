import type { Columns } from "../columns.ts";

/** With which token the program acts that does an agent's turns. */
export const up = ({ key }: Columns): string[] => [`alter table runtimes add column token_id ${key}`];
