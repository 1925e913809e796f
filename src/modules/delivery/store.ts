import type { Reader, Tx } from "../../db/database.ts";
import { statement } from "../../db/statement.ts";
import type { DeliveryRow, NewDeliveryRow } from "./tables.ts";

interface Thing {
  topic: string;
  ref: number;
}

const find = statement<Thing & { space_id: string; principal_id: string; channel: string }, NewDeliveryRow>(
  `select principal_id, channel, attempt, state, proof, first_at, last_at from deliveries
   where space_id = :space_id and topic = :topic and ref = :ref and principal_id = :principal_id and channel = :channel`,
);
export const findDelivery = (
  tx: Tx,
  args: Thing & { principal_id: string; channel: string },
): Promise<NewDeliveryRow | undefined> => tx.get(find, { ...args, space_id: tx.space_id });

/** Said twice: the two databases have no common word for what is in a list. */
const among = (list: string): string =>
  `select ref, principal_id, channel, attempt, state, proof, first_at, last_at from deliveries
   where space_id = :space_id and topic = :topic and principal_id = :principal_id and channel = :channel and ref in (${list})`;

type Among = { space_id: string; topic: string; principal_id: string; channel: string; refs: string };

const some = statement<Among, NewDeliveryRow & { ref: number }>(
  among("select value from json_each(:refs)"),
  among("select cast(json_array_elements_text(cast(:refs as json)) as bigint)"),
);
export const listDeliveries = (
  tx: Tx,
  { topic, principal_id, channel, refs }: Omit<Among, "space_id" | "refs"> & { refs: readonly number[] },
): Promise<(NewDeliveryRow & { ref: number })[]> =>
  tx.all(some, { space_id: tx.space_id, topic, principal_id, channel, refs: JSON.stringify(refs) });

const save = statement<Thing & NewDeliveryRow & { space_id: string }>(
  `insert into deliveries (space_id, topic, ref, principal_id, channel, attempt, state, proof, first_at, last_at)
   values (:space_id, :topic, :ref, :principal_id, :channel, :attempt, :state, :proof, :first_at, :last_at)
   on conflict (space_id, topic, ref, principal_id, channel) do update
   set attempt = excluded.attempt, state = excluded.state, proof = excluded.proof, last_at = excluded.last_at`,
);
export const saveDelivery = (tx: Tx, row: Thing & NewDeliveryRow): Promise<void> =>
  tx.run(save, { ...row, space_id: tx.space_id });

const forget = statement<Thing & { space_id: string }>(
  "delete from deliveries where space_id = :space_id and topic = :topic and ref = :ref",
);
export const deleteDeliveries = (tx: Tx, topic: string, refs: readonly number[]): Promise<void> =>
  tx.runAll(
    forget,
    refs.map((ref) => ({ topic, ref, space_id: tx.space_id })),
  );

const list = statement<Thing & { space_id: string }, DeliveryRow>(
  `select d.principal_id, p.name, d.channel, d.attempt, d.state, d.proof, d.first_at, d.last_at
   from deliveries d join principals p on p.id = d.principal_id
   where d.space_id = :space_id and d.topic = :topic and d.ref = :ref order by d.principal_id, d.first_at, d.channel`,
);
export const listDeliveriesOf = (db: Reader, args: Thing & { space_id: string }): Promise<DeliveryRow[]> =>
  db.all(list, args);
