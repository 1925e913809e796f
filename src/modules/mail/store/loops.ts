import type { Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { PairRow } from "../tables.ts";

interface Pair {
  first_id: string;
  second_id: string;
}

type KnownPair = Pair & PairRow;
type Around = { space_id: string; principal_id: string; others: string };

/** Said twice: the two databases have no common word for what is in a list. */
const around = (list: string): string =>
  `select first_id, second_id, turns, last_sender_id, last_at from mail_pairs
   where space_id = :space_id and first_id = :principal_id and second_id in (${list})
   union all select first_id, second_id, turns, last_sender_id, last_at from mail_pairs
   where space_id = :space_id and second_id = :principal_id and first_id in (${list})`;

const find = statement<Around, KnownPair>(
  around("select value from json_each(:others)"),
  around("select json_array_elements_text(cast(:others as json))"),
);
/** What is known of somebody with each of these others. */
export const listPairs = (
  tx: Tx,
  { principal_id, others }: { principal_id: string; others: readonly string[] },
): Promise<KnownPair[]> => tx.all(find, { space_id: tx.space_id, principal_id, others: JSON.stringify(others) });

const save = statement<Pair & PairRow & { space_id: string }>(
  `insert into mail_pairs (space_id, first_id, second_id, turns, last_sender_id, last_at)
   values (:space_id, :first_id, :second_id, :turns, :last_sender_id, :last_at)
   on conflict (space_id, first_id, second_id) do update
   set turns = excluded.turns, last_sender_id = excluded.last_sender_id, last_at = excluded.last_at`,
);
export const savePairs = (tx: Tx, rows: readonly (Pair & PairRow)[]): Promise<void> =>
  tx.runAll(
    save,
    rows.map((row) => ({ ...row, space_id: tx.space_id })),
  );

const forget = statement<Pair & { space_id: string }>(
  "delete from mail_pairs where space_id = :space_id and first_id = :first_id and second_id = :second_id",
);
export const deletePair = (tx: Tx, pair: Pair): Promise<number> => tx.run(forget, { ...pair, space_id: tx.space_id });

type Quiet = { space_id: string; before: string; stopped: number; limit: number };

const forgetQuiet = statement<Quiet>(
  `delete from mail_pairs where space_id = :space_id and (first_id, second_id) in
   (select first_id, second_id from mail_pairs
    where space_id = :space_id and last_at < :before and turns < :stopped limit :limit)`,
);
/** Those that were stopped stay so. */
export const deleteQuietPairs = (tx: Tx, args: Omit<Quiet, "space_id">): Promise<number> =>
  tx.run(forgetQuiet, { ...args, space_id: tx.space_id });

const turning = statement<{ space_id: string }, { found: number }>(
  "select 1 as found from mail_pairs where space_id = :space_id and turns > 0 order by turns desc limit 1",
);
/** Whether any two agents are answering each other. */
export const hasTurns = async (tx: Tx): Promise<boolean> =>
  (await tx.get(turning, { space_id: tx.space_id })) !== undefined;

type Whose = { space_id: string; principal_id: string };

const forgetFirst = statement<Whose>("delete from mail_pairs where space_id = :space_id and first_id = :principal_id");
const forgetSecond = statement<Whose>(
  // Else SQLite would rather go through all pairs of the space.
  "delete from mail_pairs indexed by mail_pairs_second where space_id = :space_id and second_id = :principal_id",
  "delete from mail_pairs where space_id = :space_id and second_id = :principal_id",
);
export async function deletePairsOf(tx: Tx, agents: readonly { principal_id: string }[]): Promise<void> {
  const rows = agents.map(({ principal_id }) => ({ principal_id, space_id: tx.space_id }));
  await tx.runAll(forgetFirst, rows);
  await tx.runAll(forgetSecond, rows);
}
