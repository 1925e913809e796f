import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { Agent } from "../schema.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import type { AgentRow, PrincipalRow } from "../tables.ts";
import { boundAgents, rationRefusals } from "./bounds.ts";
import { doing } from "./doing.ts";
import { tellDefault, tellRegistered, tellUpdated } from "./events.ts";
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
  await boundAgents(ctx);
  const id = await tellRegistered(ctx, { principal_id: principal.id, name: principal.name });
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
  await store.insertAgent(ctx.tx, { ...row, created_by: ctx.actor.principal_id });
  return { ...row, name: principal.name, default_inbox_id: first?.inbox_id ?? id };
}

export function register(ctx: Ctx, input: { name: string; type: Agent["type"] }): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const principal = await rationRefusals(ctx, "NAME_TAKEN", () => registrable(ctx, input.name));
    const created_at = new Date(ctx.now()).toISOString();
    await store.insertGrant(ctx.tx, {
      principal_id: principal.id,
      space_id: ctx.tx.space_id,
      role: "agent",
      created_at,
    });
    return shown(ctx, await registerAgent(ctx, { principal, type: input.type }));
  });
}

async function registrable(ctx: TxCtx, name: string): Promise<PrincipalRow> {
  const principal = await ensurePrincipal(ctx, { name, role: "agent" });
  await refuseStranger(ctx, principal);
  await refuseDeleted(ctx, principal);
  return principal;
}

/**
 * Only an administrator lets an agent of another team into this space: it would see its tokens reach further. One that has
 * only been in spaces that the actor made is of its own.
 */
async function refuseStranger(ctx: TxCtx, { id, name }: PrincipalRow): Promise<void> {
  if (has(ctx.actor, "admin")) return;
  const grants = await store.listGrants(ctx.tx, id);
  if (grants.length === 0 || grants.some(({ space_id }) => space_id === ctx.tx.space_id)) return;
  if (await store.hasGrantElsewhere(ctx.tx, { principal_id: id, created_by: ctx.actor.principal_id }))
    throw taken(ctx, name, `${name} is taken.`);
}

export function setDefault(ctx: Ctx, { name }: { name: string }): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const agent = await store.findAgentByName(ctx.tx, { space_id, name });
    if (!agent) throw noSuchAgent(name);
    await store.setDefaultInbox(ctx.tx, { id: space_id, default_inbox_id: agent.inbox_id });
    await tellUpdated(ctx, agent);
    await tellDefault(ctx, agent);
    return shown(ctx, { ...agent, default_inbox_id: agent.inbox_id });
  });
}

/** An agent tells what it is doing, and so that it is there, unless it says that it has stopped or failed. */
export function report(
  ctx: Ctx,
  input: { lifecycle?: Agent["lifecycle"] | undefined; run_phase?: Agent["run_phase"] | undefined },
): Promise<Agent> {
  return transact(ctx, async (ctx) => {
    const agent = await noteDoing(ctx, await self(ctx), input);
    if (agent.lifecycle === "starting" || agent.lifecycle === "ready") {
      const seen = { principal_id: agent.principal_id, now: agent.updated_at };
      await sessions.updateSeen(ctx.tx, { ...seen, before: agent.updated_at });
      await sessions.updateSessionSeen(ctx.tx, { ...seen, token_id: ctx.actor.token_id });
    }
    return shown(ctx, agent);
  });
}

/** What an agent is doing from now on, whoever knows it: itself, or what runs it. */
export async function noteDoing(
  ctx: TxCtx,
  agent: AgentRow,
  input: { lifecycle?: Agent["lifecycle"] | undefined; run_phase?: Agent["run_phase"] | undefined },
): Promise<AgentRow> {
  const updated_at = new Date(ctx.now()).toISOString();
  const { lifecycle = agent.lifecycle, run_phase = agent.run_phase } = input;
  await store.updateAgent(ctx.tx, { principal_id: agent.principal_id, lifecycle, run_phase, updated_at });
  await tellUpdated(ctx, agent);
  return { ...agent, lifecycle, run_phase, updated_at };
}

/** The agent that the actor is, or that an orchestrator acts for. */
export async function self(ctx: Ctx): Promise<AgentRow> {
  const agent = await findSelf(ctx);
  if (!agent) throw noSelf(ctx);
  return agent;
}

/** Whom an orchestrator names is registered by its call, unless the name is given: so it is told what to do about it. */
function noSelf(ctx: Ctx): ParleyError {
  const name = actingFor(ctx);
  if (name === undefined) return noSuchAgent(ctx.actor.name);
  const sentence = `There is no agent ${name} here, and the name is somebody else's. Name another in X-Caller-Agent.`;
  return new ParleyError("AGENT_NOT_FOUND", sentence);
}

/** The same where the actor may be none. */
export function findSelf(ctx: Ctx): Promise<AgentRow | undefined> {
  const { space_id, principal_id } = ctx.actor;
  const name = actingFor(ctx);
  return name
    ? store.findAgentByName(ctx.db, { space_id, name })
    : store.findAgentByPrincipal(ctx.db, { space_id, principal_id });
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

/** All agents of the space, each with its inbox. */
export const agentsHere = (ctx: Ctx): Promise<AgentRow[]> => store.listAgents(ctx.db, ctx.actor.space_id);

export const noSuchAgent = (name: string): ParleyError =>
  new ParleyError("AGENT_NOT_FOUND", `There is no agent ${name} here. agent_list shows who there is.`);

/** Whether people who name nobody speak to it. */
export const isDefault = ({ inbox_id, default_inbox_id }: AgentRow): boolean => inbox_id === default_inbox_id;

const shown = async (ctx: Ctx, row: AgentRow): Promise<Agent> => wire(row, await doing(ctx, row));

export function wire(
  row: AgentRow,
  { run_phase, asks, waiting_since }: Pick<Agent, "run_phase" | "asks" | "waiting_since">,
): Agent {
  const { name, type, lifecycle, created_at, updated_at } = row;
  return { name, type, lifecycle, run_phase, asks, waiting_since, created_at, updated_at, default: isDefault(row) };
}
