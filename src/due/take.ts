import type { TxCtx } from "../context.ts";
import { type DueRow, deleteDue, deleteDueAsRead, findDue } from "./store.ts";

/**
 * Takes away a row that was listed, before it is handled, which may plan it anew. Gives it as it is now; undefined where
 * it is no longer due.
 */
export async function take({ database, tx }: TxCtx, row: DueRow, now: string): Promise<DueRow | undefined> {
  // With no other node to change it that is one statement: what was changed here since is listed again, as it is then.
  if (!database.shared) return (await deleteDueAsRead(tx, row)) ? row : undefined;
  const found = await findDue(tx, { kind: row.kind, ref: row.ref, now });
  // Where this run only finds out what is read, not at all.
  if (found && !tx.prefetching) await deleteDue(tx, found);
  return found;
}
