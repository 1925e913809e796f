import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { SecretRow } from "../tables.ts";

const insert = statement<SecretRow & { space_id: string }>(
  `insert into trigger_secrets (space_id, trigger_id, id, sealed, created_at, retires_at)
   values (:space_id, :trigger_id, :id, :sealed, :created_at, :retires_at)`,
);
export const insertSecret = (tx: Tx, row: SecretRow): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

type Valid = { space_id: string; trigger_id: number; now: string };
const valid = statement<Valid, SecretRow>(
  `select trigger_id, id, sealed, created_at, retires_at from trigger_secrets
   where space_id = :space_id and trigger_id = :trigger_id and (retires_at is null or retires_at > :now) order by id desc`,
);
/** Those that count now, the newest first. */
export const listSecrets = (db: Reader, args: Valid): Promise<SecretRow[]> => db.all(valid, args);

type Of = { space_id: string; trigger_id: number };
const any = statement<Of, { id: number }>(
  "select id from trigger_secrets where space_id = :space_id and trigger_id = :trigger_id limit 1",
);
/** Be it over: who has had one is never open to everybody. */
export const hasSecret = async (db: Reader, args: Of): Promise<boolean> => (await db.get(any, args)) !== undefined;

const retire = statement<{ space_id: string; trigger_id: number; retires_at: string }>(
  `update trigger_secrets set retires_at = :retires_at
   where space_id = :space_id and trigger_id = :trigger_id and (retires_at is null or retires_at > :retires_at)`,
);
export const retireSecrets = (tx: Tx, trigger_id: number, retires_at: string): Promise<void> =>
  tx.run(retire, { space_id: tx.space_id, trigger_id, retires_at });

const forget = statement<{ space_id: string; trigger_id: number; before: string }>(
  `delete from trigger_secrets
   where space_id = :space_id and trigger_id = :trigger_id and retires_at is not null and retires_at <= :before`,
);
export const deleteRetired = (tx: Tx, trigger_id: number, before: string): Promise<void> =>
  tx.run(forget, { space_id: tx.space_id, trigger_id, before });

const remove = statement<{ space_id: string; trigger_id: number }>(
  "delete from trigger_secrets where space_id = :space_id and trigger_id = :trigger_id",
);
export const deleteSecrets = (tx: Tx, trigger_id: number): Promise<void> =>
  tx.run(remove, { space_id: tx.space_id, trigger_id });

const fingerprint = statement<Record<string, never>, { value: string }>(
  "select value from hub where name = 'secret_key'",
);
/** Of the key by which this database's secrets are sealed. */
export const findFingerprint = async (db: Reader): Promise<string | undefined> =>
  (await db.get(fingerprint, {}))?.value;

const saveFirst = statement<{ value: string }>(
  "insert into hub (name, value) values ('secret_key', :value) on conflict (name) do nothing",
);
export const insertFingerprint = (tx: Tx, value: string): Promise<number> => tx.runCounted(saveFirst, { value });
