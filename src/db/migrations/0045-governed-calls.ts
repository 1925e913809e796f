import type { Columns } from "../columns.ts";

/** What programs that Parley runs call of the hub is decided by the policy; what was approved of it is used once. */
export const up = ({ time }: Columns): string[] => [
  `alter table tokens add column governed_at ${time}`,
  `alter table approvals add column taken_at ${time}`,
  `create index approvals_asked_by_hub on approvals (space_id, agent_id, digest)
   where executes = 'hub' and ruled = 'ask' and taken_at is null`,
];
