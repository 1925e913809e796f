import type { Ctx } from "../../../context.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import type { MountProvider } from "../../../module.ts";
import { seesAll } from "../../chat/index.ts";
import { type AgentRow, addressed, doing, findSelf, noSuchAgent } from "../../identity/index.ts";
import { Mounts, type RuntimeOf, type RuntimeStatus, type SubscriptionList, type Turn } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow, TurnRow } from "../tables.ts";
import { findRuntimeOf } from "./fencing.ts";
import { SILENT_MS } from "./silence.ts";
import { NEVER_RUN } from "./starting.ts";
import { dollars, idOrNull, isoAt } from "./wire.ts";

export async function agentNamed(ctx: Ctx, name: string): Promise<AgentRow> {
  const { agent } = await addressed(ctx, name);
  if (!agent) throw noSuchAgent(name);
  return agent;
}

/** How an agent and what runs it are. */
export async function status(ctx: Ctx, { agent: name }: RuntimeOf): Promise<RuntimeStatus> {
  const agent = await agentNamed(ctx, name);
  const { principal_id } = agent;
  const row = (await findRuntimeOf(ctx, agent)) ?? { ...NEVER_RUN, principal_id };
  const turn = await store.findLastTurn(ctx.db, { space_id: ctx.actor.space_id, principal_id });
  const { run_phase } = await doing(ctx, agent);
  const { driver, fence, started_at, seen_at, paused_at, paused_by } = row;
  return {
    ...{ agent: agent.name, lifecycle: agent.lifecycle, run_phase, driver, generation: fence },
    ...{ in_hub: row.in_hub !== null, started_at, seen_at, paused_at, paused_by },
    tools_off_at: row.tools_off_at,
    forked_from: row.forked_from && (await store.findNameOf(ctx.db, row.forked_from)),
    forked_at_id: idOrNull(row.forked_at),
    turn: turn ? wireTurn(turn) : null,
    mounts: isLive(ctx, row) ? mountsOf(row) : {},
  };
}

export const wireTurn = ({ id, status, ended_at, outcome, error, cost_micros, ...tokens }: TurnRow): Turn => ({
  ...{ id: formatId(id), status, started_at: timeOfId(id), ended_at, outcome, error, cost_usd: dollars(cost_micros) },
  ...{ input_tokens: tokens.input_tokens, output_tokens: tokens.output_tokens },
});

const mountsOf = ({ mounts }: RuntimeRow): Mounts => Mounts.parse(JSON.parse(mounts));

/** Whether a runtime of it was heard of lately. */
export const isLive = (ctx: Ctx, { seen_at, ended_at }: Pick<RuntimeRow, "seen_at" | "ended_at">): boolean =>
  seen_at !== null && ended_at === null && seen_at > isoAt(ctx.now() - SILENT_MS);

/** The servers whose tools an agent's model has just now. */
export const mountProvider: MountProvider = {
  of: async (ctx, principal_id) => {
    const row = await findRuntimeOf(ctx, { principal_id });
    return row && isLive(ctx, row) ? mountsOf(row) : {};
  },
};

/** What the agents of the space follow; for an agent what it follows itself. */
export async function subscriptions(ctx: Ctx): Promise<SubscriptionList> {
  const own = seesAll(ctx) ? undefined : await findSelf(ctx);
  const all = await store.listSubscriptions(ctx.db, ctx.actor.space_id);
  const rows = seesAll(ctx) ? all : all.filter(({ principal_id }) => principal_id === own?.principal_id);
  return {
    subscriptions: rows.map(({ name: agent, server, uri, last_id, updated_at, last_error, ...row }) => ({
      ...{ agent, server, uri, pinned: row.is_pinned === 1, present: row.is_present === 1 },
      active: row.active_fence !== null && row.active_fence === row.fence && isLive(ctx, row),
      ...{ last_id: idOrNull(last_id), updated_at, last_error },
    })),
  };
}
