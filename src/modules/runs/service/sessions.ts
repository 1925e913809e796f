import type { TxCtx } from "../../../context.ts";
import type { SessionProvider } from "../../../module.ts";
import type { Kind } from "../schema.ts";
import * as store from "../store.ts";

/** Whoever is started next under this name begins afresh. Gives how many sessions were forgotten. */
export async function forgetSessions(ctx: TxCtx, named: { kind: Kind; name: string }): Promise<number> {
  const sessions = await store.countSessions(ctx.tx, { ...named, space_id: ctx.actor.space_id });
  if (sessions > 0) await store.deleteSessions(ctx.tx, named);
  return sessions;
}

/** Which session of its trigger a run was of, and whether it is over; undefined for one that is no longer kept. */
export async function sessionOfRun(
  ctx: TxCtx,
  id: number,
): Promise<{ session_key: string; is_over: boolean } | undefined> {
  const run = await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id });
  return run && { session_key: run.session_key, is_over: run.ended_at !== null };
}

export const triggerSessions: SessionProvider = {
  idOf: async (ctx, { trigger_name: name, session_key }) => {
    const where = { space_id: ctx.actor.space_id, kind: "trigger", name, session_key } as const;
    return (await store.findSession(ctx.db, where))?.session_id ?? null;
  },
  sessionOf: async (ctx) => {
    const { run_cause: id, space_id } = ctx.actor;
    const run = id === undefined ? undefined : await store.findRun(ctx.db, { space_id, id });
    return run?.kind === "trigger" ? { key: run.session_key, is_kept: run.session_mode === "persistent" } : null;
  },
};
