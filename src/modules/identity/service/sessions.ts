import { type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import type { DueHandler } from "../../../module.ts";
import type { AgentSession, EnsureAgent, EnsuredAgent } from "../schema.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import type { PrincipalRow, SessionRow } from "../tables.ts";
import { registerAgent } from "./agents.ts";
import { boundTokens, rationRefusals } from "./bounds.ts";
import { tellRevoked, tellUpdated } from "./events.ts";
import { planForgetting } from "./forgetting.ts";
import { ensurePrincipal, refuseDeleted, taken } from "./names.ts";
import { presenceOf } from "./presence.ts";
import { makerOf } from "./revoking.ts";
import { principalAt } from "./session-names.ts";
import { mint } from "./tokens.ts";

const ENDED = "token.ended";
const LABEL = "session";
const MOST_LISTED = 500;

/**
 * The agent of a session. The same session is the same agent for ever, a new one another; and no agent is two sessions
 * at a time, so nobody reads another's mail. What contradicts that is refused: nothing here is a guess.
 */
export function ensure(ctx: Ctx, input: EnsureAgent): Promise<EnsuredAgent> {
  return transact(ctx, async (ctx) => {
    const { client_session_id } = input;
    const made_by = await makerOf(ctx);
    const known = await sessions.findSession(ctx.tx, { space_id: ctx.tx.space_id, client_session_id });
    const { principal, created } = known
      ? { principal: await resumed(ctx, known, input), created: false }
      : await rationRefusals(ctx, "NAME_TAKEN", () => begun(ctx, input));
    await boundTokens(ctx, principal.id);
    const token = await bind(ctx, { principal, known, input, made_by });
    return { agent: principal.name, client_session_id, created, token };
  });
}

type Principal = Pick<PrincipalRow, "id" | "name">;

async function resumed(ctx: TxCtx, known: SessionRow, { name }: EnsureAgent): Promise<Principal> {
  const principal = { id: known.principal_id, name: known.name };
  if (known.created_by !== ctx.actor.principal_id && !has(ctx.actor, "admin"))
    throw new ParleyError("FORBIDDEN", "Somebody else began this session, so its agent is not yours to be.");
  if (name !== undefined && name !== known.name)
    throw ambiguous(`This session is ${known.name}, not ${name}. Leave the name out, or begin a new session.`);
  const presence = await sessions.findPresence(ctx.tx, { space_id: ctx.tx.space_id, principal_id: principal.id });
  if (!presence || presence.deleted_at)
    throw new ParleyError("AGENT_NOT_FOUND", `${known.name}, whom this session was, is deleted. Begin a new session.`);
  await refuseMore(ctx, principal);
  await refuseTwice(ctx, principal, known);
  return principal;
}

/** What was there before is nobody's to be who only knows its name: whoever wants it says so, and may have it done. */
async function begun(ctx: TxCtx, input: EnsureAgent): Promise<{ principal: Principal; created: boolean }> {
  const { name, adopt } = input;
  if (name === undefined) return { principal: await registered(ctx, await principalAt(ctx, input)), created: true };
  const known = await store.findPrincipal(ctx.tx, name);
  const principal = await ensurePrincipal(ctx, { name, role: "agent" });
  if (known) {
    await refuseDeleted(ctx, known);
    await refuseForeign(ctx, known);
    await refuseMore(ctx, known);
    if (!adopt) throw taken(ctx, name, `${name} is taken. Leave the name out, or adopt that agent.`);
    await refuseTwice(ctx, known, undefined);
  }
  return { principal: await registered(ctx, principal), created: known === undefined };
}

async function registered(ctx: TxCtx, principal: PrincipalRow): Promise<Principal> {
  const { space_id } = ctx.tx;
  const created_at = new Date(ctx.now()).toISOString();
  await store.insertGrant(ctx.tx, { principal_id: principal.id, space_id, role: "agent", created_at });
  await registerAgent(ctx, { principal, type: "local" });
  return principal;
}

/** An orchestrator may be those it made this way, and nobody who was there before or belongs to another team. */
async function refuseForeign(ctx: TxCtx, { id, name }: Principal): Promise<void> {
  if (has(ctx.actor, "admin")) return;
  const grants = await store.listGrants(ctx.tx, id);
  const { space_id } = ctx.tx;
  const made = await sessions.listSessionsOf(ctx.tx, { space_id, principal_id: id });
  const mine = made.length > 0 && made.every(({ created_by }) => created_by === ctx.actor.principal_id);
  if (!mine || grants.some((grant) => grant.space_id !== space_id)) throw taken(ctx, name, `${name} is taken.`);
}

/** A token is good for all its holder may do: one that was made for a session may do what an agent may, and no more. */
async function refuseMore(ctx: TxCtx, { id, name }: Principal): Promise<void> {
  const grants = await store.listGrants(ctx.tx, id);
  if (grants.some(({ role }) => role !== "agent"))
    throw new ParleyError(
      "FORBIDDEN",
      `${name} may do more than an agent, so no session can be it. Use its own token.`,
    );
}

/** Refuses while something else is this agent: another session, or for a new session whoever has been it of late. */
async function refuseTwice(ctx: TxCtx, { id, name }: Principal, own: SessionRow | undefined): Promise<void> {
  const { space_id } = ctx.tx;
  const now = ctx.now();
  const others = await sessions.listSessionsOf(ctx.tx, { space_id, principal_id: id });
  const live = others
    .filter(({ client_session_id }) => client_session_id !== own?.client_session_id)
    .find((session) => presenceOf(session, now) !== "offline");
  const presence = own ? undefined : await sessions.findPresence(ctx.tx, { space_id, principal_id: id });
  if (live || (presence && presenceOf(presence, now) !== "offline"))
    throw ambiguous(`${name} is in use${live ? ` by the session ${live.client_session_id}` : ""}. Take another name.`);
}

const ambiguous = (message: string): ParleyError => new ParleyError("AMBIGUOUS_IDENTITY", message);

interface Binding {
  principal: Principal;
  known: SessionRow | undefined;
  input: EnsureAgent;
  made_by: string | null;
}

async function bind(ctx: TxCtx, { principal, known, input, made_by }: Binding): Promise<string> {
  const { space_id } = ctx.tx;
  const { client_session_id, project = null, branch = null, client = null } = input;
  const principal_id = principal.id;
  // Its read marks go on, whatever became of the token that moved them.
  const before = known && (await store.findToken(ctx.tx, known.token_id));
  const all = await sessions.listSessionsOf(ctx.tx, { space_id, principal_id });
  await endTokens(
    ctx,
    all.map(({ token_id }) => token_id),
  );
  const minted = await mint(ctx, {
    principal_id,
    made_by,
    label: LABEL,
    ...(before && { subscriber_id: before.subscriber_id }),
  });
  const now = new Date(ctx.now()).toISOString();
  const place = { project, branch, client };
  await sessions.saveSession(ctx.tx, {
    ...place,
    client_session_id,
    principal_id,
    token_id: minted.id,
    created_by: ctx.actor.principal_id,
    created_at: now,
    last_seen_at: now,
  });
  await sessions.updatePlace(ctx.tx, { principal_id, ...place });
  await sessions.updateSeen(ctx.tx, { principal_id, now, before: now });
  if (known) await tellUpdated(ctx, { principal_id, name: principal.name });
  return minted.token;
}

/** They work no more from the commit on. What tells the nodes to close their streams is the hub's own space. */
export async function endTokens(ctx: TxCtx, ids: readonly string[]): Promise<void> {
  const revoked_at = new Date(ctx.now()).toISOString();
  let ended = 0;
  for (const id of ids)
    if (await store.revokeToken(ctx.tx, { id, revoked_at })) ended += await sessions.insertEndedToken(ctx.tx, id);
  // A number of its own, so that none is planned in vain beside one that is being handled just now.
  if (ended > 0) await plan(ctx, { kind: ENDED, ref: ctx.tx.takeId(), at: ctx.now(), space_id: HUB_SPACE });
}

/** In a transaction of the hub's own space. */
export const endedDue: Record<string, DueHandler> = {
  [ENDED]: async (ctx) => {
    for (const token_id of await sessions.listEndedTokens(ctx.tx)) {
      await tellRevoked(ctx, token_id);
      await sessions.deleteEndedToken(ctx.tx, token_id);
    }
    await planForgetting(ctx);
  },
};

export async function listSessions(ctx: Ctx): Promise<{ sessions: AgentSession[] }> {
  const rows = await sessions.listSessions(ctx.db, { space_id: ctx.actor.space_id, limit: MOST_LISTED });
  return {
    sessions: rows.map(({ client_session_id, name, client, project, branch, created_at, last_seen_at }) => ({
      client_session_id,
      agent: name,
      client,
      project,
      branch,
      created_at,
      last_seen_at,
    })),
  };
}
