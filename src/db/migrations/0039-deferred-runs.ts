import type { Columns } from "../columns.ts";

/** The approval that a run waits for, or goes on after, and which attempt was given what was approved. */
export const up = ({ position }: Columns): string[] => [
  `alter table runs add column approval_id ${position}`,
  `alter table runs add column permitted_in ${position}`,
  "create index runs_for_approval on runs (space_id, approval_id) where state = 'queued' and waits_for = 'approval'",
];
