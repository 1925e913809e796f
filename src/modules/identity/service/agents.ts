import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { Agent } from "../schema.ts";
import * as store from "../store.ts";
import type { AgentRow, PrincipalRow } from "../tables.ts";
import { ensurePrincipal, refuseDeleted, taken } from "./names.ts";

/** Makes the principal an agent of the transaction's space, with an inbox of its own. Already one, it stays as it is. */
export async function registerAgent(
  ctx: TxCtx,
  { principal, type }: { principal: PrincipalRow; type: Agent["type"] },
): Promise<AgentRow> {
  const { space_id } = ctx.tx;
  const known = await store.findAgentByPrincipal(ctx.tx, { space_id, principal_id: principal.id });
  if (known) return known;
  await refuseDeleted(ctx, principal);
  const id = await append(ctx, {
    type: "agent.registered",
    topic: "agent",
    stream: principal.id,
    data: { agent: principal.name },
  });
  const now = new Date(ctx.now()).toISOString();
  const first = await store.findDefaultInbox(ctx.tx, space_id);
  const row = {
    principal_id: principal.id,
    // What people wrote before there was any agent waits in the space's first inbox: the first agent gets it.
    inbox_id: first?.agent === null ? first.inbox_id : id,
    type,
    lifecycle: "ready",
    run_phase: "idle",
    created_at: now,
    updated_at: now,
  } as const;
  await store.insertAgent(ctx.tx, row);
  return { ...row, name: principal.name, default_inbox_id: first?.inbox_id ?? id };
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
    return wire(await registerAgent(ctx, { principal, type: input.type }));
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
  return { agents: (await store.listAgents(ctx.db, ctx.actor.space_id)).map(wire) };
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
    return wire({ ...agent, default_inbox_id: agent.inbox_id });
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
    return wire({ ...agent, lifecycle, run_phase, updated_at });
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
): Promise<{ inbox_id: number; agent: AgentRow | null }> {
  const { space_id } = ctx.actor;
  if (name !== undefined) {
    const agent = await store.findAgentByName(ctx.db, { space_id, name });
    if (!agent) throw noSuchAgent(name);
    return { inbox_id: agent.inbox_id, agent };
  }
  const inbox = await store.findDefaultInbox(ctx.db, space_id);
  if (!inbox) throw new ParleyError("SESSION_NOT_FOUND", `There is no space ${space_id}.`);
  return inbox;
}

export const noSuchAgent = (name: string): ParleyError =>
  new ParleyError("AGENT_NOT_FOUND", `There is no agent ${name} here. agent_list shows who there is.`);

/** Whether people who name nobody speak to it. */
export const isDefault = ({ inbox_id, default_inbox_id }: AgentRow): boolean => inbox_id === default_inbox_id;

function wire(row: AgentRow): Agent {
  const { name, type, lifecycle, run_phase, created_at, updated_at } = row;
  return { name, type, lifecycle, run_phase, created_at, updated_at, default: isDefault(row) };
}
