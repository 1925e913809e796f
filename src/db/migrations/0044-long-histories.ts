import type { Columns } from "../columns.ts";

/** What became of a call, as far as its own row says: word for word as the store asks for it. */
const CLASS = `coalesce(progress, case when decision = 'approve' or ruled = 'allow'
   then case executes when 'client' then 'answered' else 'approved' end
   when ruled = 'ask' and coalesce(decision, 'leave') = 'leave' then 'undecided' else 'denied' end)`;

/** What is found in a long history of calls without going through it. */
export const up = (_: Columns): string[] => [
  `create index approvals_by_class on approvals (space_id, (${CLASS}), id)`,
  `create index approvals_of_agent_by_class on approvals (space_id, agent_id, (${CLASS}), id)`,
  "create index approvals_of_agent on approvals (space_id, agent_id, id)",
  // What nobody answered is told apart by the notice alone.
  `create index notices_unanswered on notices (space_id, state, id)
   where state in ('expired', 'withdrawn', 'superseded')`,
  "create index run_events_calls on run_events (space_id, id) where type = 'ToolCall'",
];
