/** Those that are not deleted, in the order in which they are listed: however many there were, it holds those there are. */
export const up = (): string[] => [
  "create index agents_here on agents (space_id, created_at, principal_id) where deleted_at is null",
];
