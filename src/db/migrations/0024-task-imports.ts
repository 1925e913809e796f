import type { Columns } from "../columns.ts";

/** What was taken over from another queue, by the name it has there: taken once, however often it is imported. */
export const up = ({ key, position }: Columns): string[] => [
  `create table task_imports (
    space_id ${key} not null,
    source_key ${key} not null,
    task_id ${position} not null,
    primary key (space_id, source_key)
  )`,
];
