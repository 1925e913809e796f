import { type Ctx, has, NOWHERE, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import * as store from "../store.ts";
import { findSelf, register, registerAgent } from "./agents.ts";

/** An orchestrator is an agent of each space that it works in, and so is whom it acts for: its first call there makes them. */
export async function registerActing(ctx: Ctx): Promise<void> {
  const { actor } = ctx;
  if (!has(actor, "orchestrator") || actor.kind !== "agent" || actor.space_id === NOWHERE) return;
  if (await findSelf(ctx)) return;
  try {
    if (actor.caller_agent === undefined) await registerNamed(ctx, actor.name);
    else if (!(await registerColleague(ctx, actor.caller_agent)))
      await register(ctx, { name: actor.caller_agent, type: "local" });
  } catch (error) {
    // A name of somebody else looks, to the tool that is called, like an agent that is not there.
    if (!(error instanceof ParleyError && error.code === "NAME_TAKEN")) throw error;
  }
}

/**
 * Whom it may act for where they are at home it may act for here. The tokens of that agent are let in nowhere else by
 * that. False for everybody else.
 */
async function registerColleague(ctx: Ctx, name: string): Promise<boolean> {
  const principal = await store.findPrincipal(ctx.db, name);
  if (!principal) return false;
  const both = { principal_id: principal.id, orchestrator_id: ctx.actor.principal_id };
  if (!(await store.isColleague(ctx.db, both))) return false;
  await registerNamed(ctx, name);
  return true;
}

const registerNamed = (ctx: Ctx, name: string): Promise<void> =>
  transact(ctx, async (ctx) => {
    const principal = await store.findPrincipal(ctx.tx, name);
    if (principal) await registerAgent(ctx, { principal, type: "local" });
  });
