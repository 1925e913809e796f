/** Spaces that have ended are forgotten in time; among those that are open nobody looks for an ended one. */
export const up = (): string[] => [
  "drop index spaces_open",
  "create index spaces_open on spaces (created_by, expires_at) where emptied_at is null",
  "create index spaces_emptied on spaces (emptied_at) where emptied_at is not null",
];
