import type { Role, TxCtx } from "../../../context.ts";
import * as store from "../store.ts";
import { noSuchAgent, registerAgent } from "./agents.ts";
import { ensurePrincipal, ensureTrigger } from "./names.ts";
import { mint } from "./tokens.ts";

const LABEL = "run";

interface RunToken {
  /** As whom the run acts. */
  principal_id: string;
  /** Of the roles that its principal has in this space, the one that it may use; all if left out. */
  role?: Role;
  /** The event of this space that began the run: what is done with the token has it as its cause. */
  cause: number;
  expires_at: string;
  /** Whether the policy decides about what is called with it; not if left out. */
  governed?: boolean;
}

/**
 * A token for one attempt of a run, or one turn: good for this space alone, until `endTokens` ends it in the transaction
 * that gives the run up. It is asked for at every call, so from that commit on no node takes it.
 */
export function issueRunToken(ctx: TxCtx, { governed, ...token }: RunToken): Promise<{ id: string; token: string }> {
  const governed_at = governed ? new Date(ctx.now()).toISOString() : null;
  return mint(ctx, { ...token, governed_at, made_by: null, label: LABEL, space_id: ctx.tx.space_id });
}

/** What is done with it from the commit on has another cause: the turn that its holder is at by then. */
export const setTokenCause = (ctx: TxCtx, id: string, cause: number): Promise<void> =>
  store.updateTokenCause(ctx.tx, { id, cause });

interface Wanted {
  kind: "trigger" | "worker" | "mail";
  /** The trigger, worker or agent it is for. */
  name: string;
}

/** As whom a run acts, and with which of their roles. A trigger or a worker that is new is made; an agent has to be there. */
export async function runHolder(ctx: TxCtx, { kind, name }: Wanted): Promise<{ principal_id: string; role: Role }> {
  if (kind === "mail") return { principal_id: await agentNamed(ctx, name), role: "agent" };
  const role = kind;
  const principal = kind === "trigger" ? await ensureTrigger(ctx, name) : await ensurePrincipal(ctx, { name, role });
  const created_at = new Date(ctx.now()).toISOString();
  await store.insertGrant(ctx.tx, { principal_id: principal.id, space_id: ctx.tx.space_id, role, created_at });
  if (kind === "worker") await registerAgent(ctx, { principal, type: "local" });
  return { principal_id: principal.id, role };
}

async function agentNamed(ctx: TxCtx, name: string): Promise<string> {
  const agent = await store.findAgentByName(ctx.tx, { space_id: ctx.tx.space_id, name });
  if (!agent) throw noSuchAgent(name);
  return agent.principal_id;
}
