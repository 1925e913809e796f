import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { ProposalRow, StatedProposalRow } from "../tables.ts";

type In = { space_id: string };

const insert = statement<ProposalRow & In>(
  `insert into policy_proposals (space_id, id, proposer_id, rule, digest, reason, accepted, version)
   values (:space_id, :id, :proposer_id, :rule, :digest, :reason, :accepted, :version)`,
);
export const insertProposal = (tx: Tx, row: ProposalRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const COLUMNS = `o.id, o.proposer_id, o.rule, o.digest, o.reason, o.accepted, o.version, p.name as proposed_by,
   n.state as notice_state, n.settled_at, s.name as settled_by_name`;
const NAMES = "join principals p on p.id = o.proposer_id left join principals s on s.id = n.settled_by";
const PROPOSAL = `select ${COLUMNS} from policy_proposals o
   join notices n on n.space_id = o.space_id and n.id = o.id ${NAMES} where o.space_id = :space_id`;

const byId = statement<In & { id: number }, StatedProposalRow>(`${PROPOSAL} and o.id = :id`);
export const findProposal = (db: Reader, args: In & { id: number }): Promise<StatedProposalRow | undefined> =>
  db.get(byId, args);

type Page = In & { before_id: number; limit: number };

const all = statement<Page, StatedProposalRow>(`${PROPOSAL} and o.id < :before_id order by o.id desc limit :limit`);
/** Newest first, as all of these. */
export const listProposals = (db: Reader, args: Page): Promise<StatedProposalRow[]> => db.all(all, args);

const OPEN = `from notices n cross join policy_proposals o`;
const WHERE = `where n.space_id = :space_id and n.state = 'open' and o.space_id = n.space_id and o.id = n.id
   and n.id < :before_id order by n.id desc limit :limit`;

const open = statement<Page, StatedProposalRow>(`select ${COLUMNS} ${OPEN} ${NAMES} ${WHERE}`);
export const listOpenProposals = (db: Reader, args: Page): Promise<StatedProposalRow[]> => db.all(open, args);

const openIds = statement<Page, { id: number }>(`select n.id ${OPEN} ${WHERE}`);
/** Those of `listOpenProposals`. */
export const listOpenProposalIds = async (db: Reader, args: Page): Promise<number[]> =>
  (await db.all(openIds, args)).map(({ id }) => id);

const openOf = statement<In & { proposer_id: string }, StatedProposalRow>(
  `select ${COLUMNS} ${OPEN} ${NAMES} where n.space_id = :space_id and n.state = 'open' and o.space_id = n.space_id
   and o.id = n.id and o.proposer_id = :proposer_id order by n.id`,
);
export const listOpenProposalsOf = (db: Reader, args: In & { proposer_id: string }): Promise<StatedProposalRow[]> =>
  db.all(openOf, args);

const countBy = statement<In & { proposer_id: string }, { count: number }>(
  `select count(*) as count ${OPEN} where n.space_id = :space_id and n.state = 'open'
   and o.space_id = n.space_id and o.id = n.id and o.proposer_id = :proposer_id`,
);
export const countOpenProposalsOf = async (db: Reader, args: In & { proposer_id: string }): Promise<number> =>
  Number((await db.get(countBy, args))?.count ?? 0);

type Settled = { id: number; accepted: number; version: number | null };

const settle = statement<Settled & In>(
  "update policy_proposals set accepted = :accepted, version = :version where space_id = :space_id and id = :id",
);
export const saveProposal = (tx: Tx, row: Settled): Promise<void> => tx.run(settle, { ...row, space_id: tx.space_id });
