import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { Covers, Executes } from "../schema.ts";
import type { PolicyRow } from "../tables.ts";

type In = { space_id: string };
type Named = PolicyRow & { set_by_name: string };

const insert = statement<PolicyRow & In>(
  `insert into policies (space_id, version, id, document, rules, set_by, note)
   values (:space_id, :version, :id, :document, :rules, :set_by, :note)`,
);
export const insertPolicy = (tx: Tx, row: PolicyRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const newest = statement<In, { version: number; id: number }>(
  "select version, id from policies where space_id = :space_id order by version desc limit 1",
);
/** Which one counts. */
export const findNewest = (db: Reader, space_id: string): Promise<{ version: number; id: number } | undefined> =>
  db.get(newest, { space_id });

const POLICY = `select v.version, v.id, v.document, v.rules, v.set_by, v.note, p.name as set_by_name
   from policies v join principals p on p.id = v.set_by where v.space_id = :space_id`;

const byVersion = statement<In & { version: number }, Named>(`${POLICY} and v.version = :version`);
export const findPolicy = (db: Reader, args: In & { version: number }): Promise<Named | undefined> =>
  db.get(byVersion, args);

type Page = In & { before: number; limit: number };

const versions = statement<Page, Omit<Named, "document">>(
  `select v.version, v.id, v.rules, v.set_by, v.note, p.name as set_by_name
   from policies v join principals p on p.id = v.set_by
   where v.space_id = :space_id and v.version < :before order by v.version desc limit :limit`,
);
/** Newest first. */
export const listPolicies = (db: Reader, args: Page): Promise<Omit<Named, "document">[]> => db.all(versions, args);

export interface PastCall {
  id: number;
  agent: string;
  server: string;
  mount: string;
  tool: string;
  arguments: string;
  covers: Covers;
  hints: string | null;
  executes: Executes;
  call_id: string;
  called_by: string | null;
}

const calls = statement<In & { before_id: number; limit: number }, PastCall>(
  `select a.id, p.name as agent, a.server, a.mount, a.tool, a.arguments, a.covers, a.hints, a.executes, a.call_id, a.called_by
   from approvals a join principals p on p.id = a.agent_id where a.space_id = :space_id and a.id < :before_id order by a.id desc limit :limit`,
);
/** Whatever was asked so far, newest first. */
export const listCalls = (db: Reader, args: In & { before_id: number; limit: number }): Promise<PastCall[]> =>
  db.all(calls, args);
