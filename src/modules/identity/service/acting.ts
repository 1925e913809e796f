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
    if (actor.caller_agent !== undefined) await register(ctx, { name: actor.caller_agent, type: "local" });
    else await registerSelf(ctx);
  } catch (error) {
    // A name of somebody else looks, to the tool that is called, like an agent that is not there.
    if (!(error instanceof ParleyError && error.code === "NAME_TAKEN")) throw error;
  }
}

const registerSelf = (ctx: Ctx): Promise<void> =>
  transact(ctx, async (ctx) => {
    const principal = await store.findPrincipal(ctx.tx, ctx.actor.name);
    if (principal) await registerAgent(ctx, { principal, type: "local" });
  });
