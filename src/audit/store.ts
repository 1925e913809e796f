import type { Database, Reader } from "../db/database.ts";
import { HUB_SPACE } from "../db/open.ts";
import { statement } from "../db/statement.ts";
import type { Link } from "./chain.ts";

/** How far a chain reaches, kept away from its files. */
export interface Head extends Link {
  /** The first line that was not yet old enough to be forgotten. */
  first_seq: number;
}

const find = statement<{ name: string }, { value: string }>("select value from hub where name = :name");
const save = statement<{ name: string; value: string }>(
  "insert into hub (name, value) values (:name, :value) on conflict (name) do update set value = excluded.value",
);

const nameOf = (chain: string): string => `audit:${chain}`;

export async function findHead(db: Reader, chain: string): Promise<Head | undefined> {
  const found = await db.get(find, { name: nameOf(chain) });
  // Written below.
  return found && (JSON.parse(found.value) as Head);
}

export async function saveHead(database: Database, chain: string, head: Head): Promise<void> {
  const row = { name: nameOf(chain), value: JSON.stringify(head) };
  await database.write(HUB_SPACE, (tx) => tx.run(save, row), { even_expired: true });
}
