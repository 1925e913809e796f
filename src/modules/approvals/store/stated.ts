/** What every statement about calls is made of: a call is stated with its notice, where people were asked. */

export type In = { space_id: string };
export type At = In & { now: string };

/** The notice's wherever people were asked; what then became of the call is its own. */
const STATE = `case when a.progress is not null then a.progress
   when n.state = 'open' then case when n.expires_at is not null and n.expires_at <= :now then 'expired' else 'pending' end
   when n.state in ('expired', 'withdrawn', 'superseded') then n.state
   when a.decision = 'approve' or (n.state is null and a.ruled = 'allow')
     then case a.executes when 'client' then 'answered' else 'approved' end
   else 'denied' end`;
/** As far as its own row says, word for word as it is indexed; `undecided` is its notice's state. */
export const CLASS = `coalesce(a.progress, case when a.decision = 'approve' or a.ruled = 'allow'
   then case a.executes when 'client' then 'answered' else 'approved' end
   when a.ruled = 'ask' and coalesce(a.decision, 'leave') = 'leave' then 'undecided' else 'denied' end)`;
export const COLUMNS = `a.id, a.agent_id, a.key, a.call_id, a.server, a.mount, a.tool, a.arguments, a.digest, a.covers, a.executes,
   a.editable, a.verdicts, a.about, a.hints, a.input_schema, a.policy_version, a.ruled, a.decision, a.decided_via, a.reason,
   a.edited_arguments, a.edited_digest, a.progress, a.holder, a.fence, a.executing_at, a.ended_at, a.called_by, a.taken_at,
   a.cause, a.cause_how, ${STATE} as state, p.name as agent, c.name as called_by_name, n.state as notice_state, n.expires_at, n.settled_at, s.name as settled_by_name`;
export const NAMES = `join principals p on p.id = a.agent_id left join principals s on s.id = n.settled_by
   left join principals c on c.id = a.called_by`;
export const APPROVAL = `select ${COLUMNS} from approvals a left join notices n on n.space_id = a.space_id and n.id = a.id ${NAMES}
   where a.space_id = :space_id`;

/** From the notices that are open, which are few, in this order: all calls of a space may be very many. */
export const FROM = "from notices n cross join approvals a";
export const OPEN = `where n.space_id = :space_id and n.state = 'open' and (n.expires_at is null or n.expires_at > :now)
   and a.space_id = n.space_id and a.id = n.id`;
