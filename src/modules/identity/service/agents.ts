import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Agent } from "../schema.ts";
import * as store from "../store.ts";
import type { AgentRow, PrincipalRow } from "../tables.ts";
import { ensurePrincipal, taken } from "./names.ts";

/** Makes the principal an agent of the transaction's space, with an inbox of its own. Already one, it stays as it is. */
export async function registerAgent(
  ctx: TxCtx,
  { principal, type }: { principal: PrincipalRow; type: Agent["type"] },
): Promise<AgentRow> {
  const { space_id } = ctx.tx;
  const known = await store.findAgentByPrincipal(ctx.tx, { space_id, principal_id: principal.id });
  if (known) return known;
  const id = await append(ctx, {
    type: "agent.registered",
    topic: "agent",
    stream: principal.id,
    data: { agent: principal.name },
  });
  const now = new Date(ctx.now()).toISOString();
  const row: AgentRow = {
    principal_id: principal.id,
    name: principal.name,
    inbox_id: (await firstInbox(ctx)) ?? id,
    type,
    lifecycle: "ready",
    run_phase: "idle",
    created_at: now,
    updated_at: now,
  };
  await store.insertAgent(ctx.tx, row);
  return row;
}

/** What people wrote before there was any agent waits in the space's first inbox: the first agent gets it. */
async function firstInbox(ctx: TxCtx): Promise<number | undefined> {
  const { space_id } = ctx.tx;
  const space = await store.findSpace(ctx.tx, space_id);
  if (!space) return undefined;
  const inbox_id = space.default_inbox_id;
  return (await store.findAgentByInbox(ctx.tx, { space_id, inbox_id })) ? undefined : inbox_id;
}

export function register(ctx: Ctx, input: { name: string; type: Agent["type"] }): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const principal = await ensurePrincipal(ctx, { name: input.name, role: "agent" });
    await refuseStranger(ctx, principal);
    const created_at = new Date(ctx.now()).toISOString();
    await store.insertGrant(ctx.tx, {
      principal_id: principal.id,
      space_id: ctx.tx.space_id,
      role: "agent",
      created_at,
    });
    return toWire(ctx, await registerAgent(ctx, { principal, type: input.type }));
  });
}

/** Only an administrator lets an agent of another team into this space: it would see its tokens reach further. */
async function refuseStranger(ctx: TxCtx, { id, name }: PrincipalRow): Promise<void> {
  if (has(ctx.actor, "admin")) return;
  const grants = await store.listGrants(ctx.tx, id);
  if (grants.length > 0 && !grants.some(({ space_id }) => space_id === ctx.tx.space_id))
    throw taken(ctx, name, `${name} is taken.`);
}

export async function list(ctx: Ctx): Promise<{ agents: Agent[] }> {
  const space = await store.findSpace(ctx.db, ctx.actor.space_id);
  const rows = await store.listAgents(ctx.db, ctx.actor.space_id);
  return { agents: rows.map((row) => wire(row, space?.default_inbox_id)) };
}

export function setDefault(ctx: Ctx, { name }: { name: string }): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const agent = await store.findAgentByName(ctx.tx, { space_id, name });
    if (!agent) throw noSuchAgent(name);
    await store.setDefaultInbox(ctx.tx, { id: space_id, default_inbox_id: agent.inbox_id });
    await append(ctx, { type: "agent.updated", topic: "agent", stream: agent.principal_id, data: { agent: name } });
    // Whoever reads the default agent's chat reads another one from now on.
    const data = { agent: name, author: null, default: true };
    await append(ctx, { type: "agent.defaulted", topic: "chat", stream: formatId(agent.inbox_id), data });
    return toWire(ctx, agent);
  });
}

/** An agent tells what it is doing. */
export function report(
  ctx: Ctx,
  input: { lifecycle?: Agent["lifecycle"] | undefined; run_phase?: Agent["run_phase"] | undefined },
): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const agent = await self(ctx);
    const updated_at = new Date(ctx.now()).toISOString();
    const { lifecycle = agent.lifecycle, run_phase = agent.run_phase } = input;
    await store.updateAgent(ctx.tx, { principal_id: agent.principal_id, lifecycle, run_phase, updated_at });
    await append(ctx, {
      type: "agent.updated",
      topic: "agent",
      stream: agent.principal_id,
      data: { agent: agent.name },
    });
    return toWire(ctx, { ...agent, lifecycle, run_phase, updated_at });
  });
}

/** The agent that the actor is, or that an orchestrator acts for. */
export async function self(ctx: Ctx): Promise<AgentRow> {
  const { actor } = ctx;
  const name = actingFor(ctx);
  const agent = name
    ? await store.findAgentByName(ctx.db, { space_id: actor.space_id, name })
    : await store.findAgentByPrincipal(ctx.db, { space_id: actor.space_id, principal_id: actor.principal_id });
  if (!agent) throw noSuchAgent(name ?? actor.name);
  return agent;
}

const actingFor = ({ actor }: Ctx): string | undefined => (has(actor, "orchestrator") ? actor.caller_agent : undefined);

/** The agent of that name, the space's default one without a name; null while nobody answers there. */
export async function addressed(
  ctx: Ctx,
  name: string | undefined,
): Promise<{ inbox_id: number; agent: AgentRow | null; is_default: boolean }> {
  const { space_id } = ctx.actor;
  if (name !== undefined) {
    const agent = await store.findAgentByName(ctx.db, { space_id, name });
    if (!agent) throw noSuchAgent(name);
    const first = await store.findDefaultInbox(ctx.db, space_id);
    return { inbox_id: agent.inbox_id, agent, is_default: agent.inbox_id === first?.inbox_id };
  }
  const inbox = await store.findDefaultInbox(ctx.db, space_id);
  if (!inbox) throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${space_id}.`);
  return { ...inbox, is_default: true };
}

export const noSuchAgent = (name: string): ParleyError =>
  new ParleyError("AGENT_NOT_FOUND", `There is no agent ${name} here. agent_list shows who there is.`);

async function toWire(ctx: Ctx, row: AgentRow): Promise<Agent> {
  return wire(row, (await store.findSpace(ctx.db, ctx.actor.space_id))?.default_inbox_id);
}

function wire({ principal_id: _, inbox_id, ...agent }: AgentRow, default_inbox_id: number | undefined): Agent {
  return { ...agent, default: inbox_id === default_inbox_id };
}
