import type { Columns } from "../columns.ts";

/** What led to an event, and to what is kept for longer than the feed. */
export const up = ({ key, position }: Columns): string[] => [
  ...["events", "messages", "mails", "notices"].flatMap((table) => [
    `alter table ${table} add column cause ${position}`,
    `alter table ${table} add column cause_how ${key}`,
  ]),
  "create index events_cause on events (space_id, cause) where cause is not null",
];
