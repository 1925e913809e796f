import { type Ctx, transact } from "../../../context.ts";
import type { AgentEntry, Beat, FindAgents, ListAgents, Presence } from "../schema.ts";
import { findAgentByName, listAgentsSeen } from "../store/agents.ts";
import * as store from "../store/sessions.ts";
import type { PresenceRow, SeenRow } from "../tables.ts";
import * as agents from "./agents.ts";
import { seenDoing, waitingAgents } from "./doing.ts";
import { tellUpdated } from "./events.ts";

const ACTIVE_MS = 5 * 60_000;
const IDLE_MS = 30 * 60_000;
const LONG_GONE_MS = 7 * 86_400_000;
/** A mark younger than this is as good as a new one, and costs no transaction. */
const FRESH_MS = 15_000;

type Seen = Pick<SeenRow, "last_seen_at" | "left_at">;

/** From when an agent was last seen, unless it has left since. It says so itself with each heartbeat; nobody says it for it. */
export function presenceOf({ last_seen_at, left_at }: Seen, now: number): Presence {
  if (left_at !== null) return "offline";
  const age = last_seen_at === null ? Number.POSITIVE_INFINITY : now - Date.parse(last_seen_at);
  if (age <= ACTIVE_MS) return "active";
  return age <= IDLE_MS ? "idle" : "offline";
}

interface Startable {
  principal_id: string;
  inbox_id: number;
  /** From when on nobody is this agent, should it not be heard of again, in milliseconds since 1970. */
  asleep_from: number;
}

/** The agent of that name, if it can be started while it sleeps: it is not deleted, and was never a client's session. */
export async function findStartable(ctx: Ctx, name: string): Promise<Startable | undefined> {
  const { space_id } = ctx.actor;
  const agent = await findAgentByName(ctx.db, { space_id, name });
  if (!agent) return undefined;
  const { principal_id, inbox_id } = agent;
  const known = await store.findPresence(ctx.db, { space_id, principal_id });
  if (!known || known.deleted_at !== null) return undefined;
  if ((await store.listSessionsOf(ctx.db, { space_id, principal_id })).length > 0) return undefined;
  const { last_seen_at, left_at } = known;
  const asleep_from = left_at !== null || last_seen_at === null ? 0 : Date.parse(last_seen_at) + ACTIVE_MS + 1;
  return { principal_id, inbox_id, asleep_from };
}

/** Marks the agent that the actor is, or acts for, as seen now. */
export async function heartbeat(ctx: Ctx): Promise<void> {
  const { principal_id } = await agents.self(ctx);
  await mark(ctx, await store.findPresence(ctx.db, { space_id: ctx.actor.space_id, principal_id }));
}

export async function beat(ctx: Ctx, { project, branch, client }: Beat) {
  const { principal_id, name } = await agents.self(ctx);
  const { space_id } = ctx.actor;
  const known = await store.findPresence(ctx.db, { space_id, principal_id });
  const last_seen_at = await mark(ctx, known);
  const before = { project: known?.project ?? null, branch: known?.branch ?? null, client: known?.client ?? null };
  const place = { ...before, ...(project && { project }), ...(branch && { branch }), ...(client && { client }) };
  if (place.project !== before.project || place.branch !== before.branch || place.client !== before.client)
    await transact(ctx, (ctx) => store.updatePlace(ctx.tx, { principal_id, ...place }));
  return { agent: name, presence: presenceOf({ last_seen_at, left_at: null }, ctx.now()), last_seen_at, ...place };
}

/** The session that the caller's token was made for has ended: nobody is there any more, and another may go on as it. */
export async function leave(ctx: Ctx) {
  const { principal_id, name } = await agents.self(ctx);
  const now = new Date(ctx.now()).toISOString();
  const { token_id } = ctx.actor;
  const left = await transact(ctx, async (ctx) => {
    if (!(await store.updateLeft(ctx.tx, { principal_id, token_id, now }))) return false;
    await tellUpdated(ctx, { principal_id, name });
    return true;
  });
  return { agent: name, left_at: left ? now : null };
}

async function mark(ctx: Ctx, known: PresenceRow | undefined): Promise<string> {
  const now = ctx.now();
  const before = new Date(now - FRESH_MS).toISOString();
  if (!known) throw agents.noSuchAgent(ctx.actor.name);
  const { last_seen_at, left_at, principal_id } = known;
  if (last_seen_at !== null && last_seen_at >= before && left_at === null) return last_seen_at;
  const seen = { principal_id, now: new Date(now).toISOString() };
  // One that was there already is no news: that happens all the time.
  const returns = presenceOf({ last_seen_at, left_at }, now) !== "active";
  if (!returns && !ctx.tx) {
    const { space_id, token_id } = ctx.actor;
    await store.updateStillSeen(ctx.database, { ...seen, space_id, token_id, before });
    return seen.now;
  }
  await transact(ctx, async (ctx) => {
    // Whether it is still old is for the statement to say: another call may have been faster.
    if (!(await store.updateSeen(ctx.tx, { ...seen, before }))) return;
    await store.updateSessionSeen(ctx.tx, { ...seen, token_id: ctx.actor.token_id });
    if (returns) await tellUpdated(ctx, known);
  });
  return seen.now;
}

/**
 * The agents of the space: what they are doing, and when and where they were last seen. Every session of a client makes
 * one: without `all`, those that have been gone for a week are left out.
 */
export async function list(ctx: Ctx, { all }: ListAgents): Promise<{ agents: AgentEntry[] }> {
  const now = ctx.now();
  const since = all ? "" : new Date(now - LONG_GONE_MS).toISOString();
  const waiting = await waitingAgents(ctx);
  const rows = await listAgentsSeen(ctx.db, { space_id: ctx.actor.space_id, since });
  return {
    agents: rows.map((row) => {
      const { last_seen_at, project, branch, client } = row;
      const agent = agents.wire(row, seenDoing(row, waiting.get(row.principal_id)));
      return { ...agent, presence: presenceOf(row, now), last_seen_at, project, branch, client };
    }),
  };
}

/** Those of them, long gone ones too, that all that is given holds for. */
export async function find(ctx: Ctx, { status, project, name }: FindAgents): Promise<{ agents: AgentEntry[] }> {
  const { agents } = await list(ctx, { all: true });
  return {
    agents: agents.filter(
      (agent) =>
        (status === undefined || agent.presence === status) &&
        (project === undefined || `${agent.project ?? ""}/`.startsWith(`${project.replace(/\/+$/, "")}/`)) &&
        (name === undefined || agent.name.toLowerCase().includes(name.toLowerCase())),
    ),
  };
}
