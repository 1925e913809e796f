import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import * as sessions from "../store/sessions.ts";
import * as store from "../store.ts";
import { noSuchAgent } from "./agents.ts";
import { tellDeleted } from "./events.ts";
import { endTokens } from "./sessions.ts";

/** Of this space alone: where else it is somebody, it stays so. Its row and its mail stay, so that what it said still has an author; nothing can act as it, or be said to it. */
export function deleteAgent(ctx: Ctx, { name }: { name: string }): Promise<{ name: string; deleted_at: string }> {
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    const agent = await store.findAgentByName(ctx.tx, { space_id, name });
    if (!agent) throw noSuchAgent(name);
    await passDefaultOn(ctx, agent);
    return { name, deleted_at: await remove(ctx, agent) };
  });
}

/** When it was. */
async function remove(ctx: TxCtx, { name, principal_id }: { name: string; principal_id: string }): Promise<string> {
  const deleted_at = new Date(ctx.now()).toISOString();
  if (!(await sessions.deleteAgent(ctx.tx, { principal_id, now: deleted_at }))) throw noSuchAgent(name);
  await sessions.deleteGrants(ctx.tx, principal_id);
  // A token is good wherever its holder was let in: one that still is somewhere keeps it, and finds nothing here.
  if ((await store.listGrants(ctx.tx, principal_id)).length === 0)
    await endTokens(ctx, await sessions.listWorkingTokens(ctx.tx, principal_id));
  await tellDeleted(ctx, { name, principal_id });
  return deleted_at;
}

/** People who name nobody must not speak to it on. Without another agent they speak to the next one there will be. */
async function passDefaultOn(ctx: TxCtx, { name, inbox_id }: { name: string; inbox_id: number }): Promise<void> {
  const { space_id } = ctx.tx;
  const inbox = await store.findDefaultInbox(ctx.tx, space_id);
  if (inbox?.inbox_id !== inbox_id) return;
  if ((await store.listAgents(ctx.tx, space_id)).length > 1)
    throw new ParleyError(
      "CONFLICT",
      `${name} is whom people speak to who name nobody. Choose another: agent_default.`,
    );
  await store.setDefaultInbox(ctx.tx, { id: space_id, default_inbox_id: ctx.tx.takeId() });
}
