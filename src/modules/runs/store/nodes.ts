import type { Database, Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { NodeRow } from "../tables.ts";

const save = statement<NodeRow>(
  `insert into nodes (id, boot, host, can, started_at, lease_until)
   values (:id, :boot, :host, :can, :started_at, :lease_until)
   on conflict (id) do update set boot = excluded.boot, host = excluded.host, can = excluded.can,
   started_at = excluded.started_at, lease_until = excluded.lease_until`,
);
export const saveNode = (tx: Tx, row: NodeRow): Promise<void> => tx.run(save, row);

type Renewal = Pick<NodeRow, "id" | "boot" | "can" | "lease_until">;

const renew = statement<Renewal>(
  "update nodes set lease_until = :lease_until, can = :can where id = :id and boot = :boot",
);
/** False when another start of the node has taken its place. */
export const renewNode = async (database: Database, row: Renewal): Promise<boolean> =>
  (await database.compareAndSet(renew, row)) === 1;

const live = statement<{ now: string }, NodeRow>(
  "select id, boot, host, can, started_at, lease_until from nodes where lease_until > :now order by id",
);
export const listLiveNodes = (db: Reader, now: string): Promise<NodeRow[]> => db.all(live, { now });

const forget = statement<{ before: string }>("delete from nodes where lease_until < :before");
export const deleteNodes = (tx: Tx, before: string): Promise<void> => tx.run(forget, { before });

const remove = statement<{ id: string; boot: string }>("delete from nodes where id = :id and boot = :boot");
export const deleteNode = (tx: Tx, args: { id: string; boot: string }): Promise<void> => tx.run(remove, args);
