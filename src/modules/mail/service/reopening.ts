import type { Row } from "../../../archive/index.ts";
import type { TxCtx } from "../../../context.ts";
import { wordsOf } from "../../../db/words.ts";
import * as store from "../store.ts";

/** The words of a mail that an archive held: an index is in none. */
export async function reindex(ctx: TxCtx, { id, subject, body, sender_id, recipients }: Row): Promise<void> {
  const { space_id } = ctx.tx;
  const names: unknown = JSON.parse(String(recipients));
  const holders = [String(sender_id)];
  for (const name of Array.isArray(names) ? names : []) {
    const holder = await store.findPrincipal(ctx.tx, String(name));
    if (holder !== undefined) holders.push(holder);
  }
  const readers = holders.map((holder) => `${space_id} ${holder}`);
  const words = wordsOf({ id: Number(id), space_id }, `${subject}\n${body}`, { readers });
  ctx.tx.atEnd((tx) => store.insertWords(tx, words));
}
