/** What people want of an agent, and what it says itself about its turn. It is stored, so that no runtime misses it. */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { type AgentRow, self } from "../../identity/index.ts";
import type { RuntimeOf, RuntimeStatus } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import { tellChange, tellStopping } from "./events.ts";
import { findRuntimeOf } from "./fencing.ts";
import { log } from "./logging.ts";
import { takeBackOf } from "./lost.ts";
import { NEVER_RUN } from "./starting.ts";
import { agentNamed, status } from "./status.ts";
import { isoNow } from "./wire.ts";

type Change = (ctx: TxCtx, agent: AgentRow, row: RuntimeRow) => Promise<RuntimeRow>;

/** Changes what is wanted of an agent, in one transaction. */
export function steer(ctx: Ctx, of: RuntimeOf, change: Change): Promise<RuntimeStatus> {
  return transact(ctx, async (ctx) => {
    const agent = await agentNamed(ctx, of.agent);
    const { principal_id } = agent;
    const row = (await findRuntimeOf(ctx, agent)) ?? { ...NEVER_RUN, principal_id };
    await store.saveRuntime(ctx.tx, await change(ctx, agent, row));
    return status(ctx, of);
  });
}

/** Ends the turn that runs, whatever it is at. Its agent hears the next message as ever. */
export const abort = (ctx: Ctx, of: RuntimeOf): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    const { turn_id } = row;
    if (turn_id === null) throw new ParleyError("TURN_OVER", `${agent.name} has no turn that could be aborted.`);
    await tellStopping(ctx, agent, turn_id);
    // Here, whatever becomes of its runtime: from now on nothing that waits is run, though a person approve it.
    await takeBackOf(ctx, { id: turn_id, principal_id: row.principal_id });
    return { ...row, abort_turn_id: turn_id, abort_by: ctx.actor.name };
  });

/** No turn is begun, and one that runs asks its model no further, until it is resumed. What is said meanwhile waits. */
export const pause = (ctx: Ctx, of: RuntimeOf): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    if (row.paused_at !== null) return row;
    await tellChange(ctx, agent, "paused");
    return { ...row, paused_at: isoNow(ctx), paused_by: ctx.actor.name };
  });

/** Goes on after a pause; without one it begins a turn by itself, with whatever has come of the last one since. */
export const resume = (ctx: Ctx, of: RuntimeOf): Promise<RuntimeStatus> =>
  steer(ctx, of, async (ctx, agent, row) => {
    if (row.paused_at === null && row.turn_id !== null) return row;
    const id = await tellChange(ctx, agent, "resumed");
    const entry = { type: "Resumed", key: `resumed:${id}`, turn_id: null, by: ctx.actor.name } as const;
    if (row.paused_at === null) await log(ctx, agent, [entry]);
    return { ...row, paused_at: null, paused_by: null };
  });

/** The agent has nothing more to do in its turn: it is woken by what somebody says. */
export function yieldTurn(ctx: Ctx): Promise<{ ok: true }> {
  return transact(ctx, async (ctx) => {
    const agent = await self(ctx);
    const row = await findRuntimeOf(ctx, agent);
    if (!row || row.turn_id === null) return { ok: true };
    const key = `yielded:${row.turn_id}`;
    if ((await store.findEventByKey(ctx.tx, { principal_id: agent.principal_id, key })) === null)
      await log(ctx, agent, [{ type: "Yielded", key, turn_id: row.turn_id }]);
    return { ok: true };
  });
}
