import type { TxCtx } from "../../../context.ts";
import type { Kind } from "../schema.ts";
import * as store from "../store.ts";

/** Whoever is started next under this name begins afresh. Gives how many sessions were forgotten. */
export async function forgetSessions(ctx: TxCtx, named: { kind: Kind; name: string }): Promise<number> {
  const sessions = await store.countSessions(ctx.tx, { ...named, space_id: ctx.actor.space_id });
  if (sessions > 0) await store.deleteSessions(ctx.tx, named);
  return sessions;
}
