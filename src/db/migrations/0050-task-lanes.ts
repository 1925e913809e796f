/** In which lanes tasks of a sender wait, beside the one of those that need nothing in particular. */
export const up = (): string[] => [
  "create index tasks_lanes on tasks (space_id, sender_id, lane) where status = 'pending' and lane <> 'default'",
];
