import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { self } from "../../identity/index.ts";
import type { ClaimApproval, FinishApproval, RecoverApprovals, Recovered, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { digestOf } from "./canonical.ts";
import { tellEnded, tellExecuting } from "./events.ts";
import { giveUp } from "./settling.ts";
import { isoNow, ownRow, requestedOf } from "./wire.ts";

/** Hands out what was allowed, to the first who claims it and to nobody after that. Repeated by the same holder it is the same. */
export const claim = (ctx: Ctx, { id, holder, fence }: ClaimApproval): Promise<Requested> =>
  transact(ctx, async (ctx) => {
    const row = await ownRow(ctx, id);
    await refuseOlder(ctx, row.agent_id, fence);
    checkDigest(ctx, row);
    if (!(await store.claimApproval(ctx.tx, { id: row.id, holder, fence, now: isoNow(ctx) }))) {
      if (row.state === "executing" && row.holder === holder) return requestedOf(ctx, row);
      throw new ParleyError("APPROVAL_STATE", `Approval ${id} is ${row.state}: there is nothing to run.`, {
        details: { state: row.state },
      });
    }
    const claimed = await ownRow(ctx, id);
    await tellExecuting(ctx, claimed);
    return requestedOf(ctx, claimed);
  });

/** What is run is what was shown: the stored text, and it has the digest that was decided about. */
export function checkDigest(ctx: TxCtx, row: StatedApprovalRow): void {
  const { agent, mount, server, tool } = row;
  const given = JSON.parse(row.edited_arguments ?? row.arguments);
  const digest = digestOf({ space: ctx.tx.space_id, agent, mount, server, tool, arguments: given });
  if (digest !== (row.edited_digest ?? row.digest))
    throw new ParleyError("APPROVAL_STATE", "What is stored is not what was decided about, so it is not handed out.");
}

/** Of an agent's runtimes only the one that was started last does anything. */
export async function refuseOlder(ctx: TxCtx, agent_id: string, fence: number): Promise<void> {
  if (fence >= (await store.findFence(ctx.tx, { space_id: ctx.tx.space_id, agent_id }))) return;
  throw new ParleyError("LEASE_LOST", "Another runtime has taken this agent over: it runs what was approved.");
}

/** How a call ended. Told again it stays as it was. */
export const finish = (ctx: Ctx, { id, holder, outcome, output }: FinishApproval): Promise<Requested> =>
  transact(ctx, async (ctx) => {
    const row = await ownRow(ctx, id);
    if (row.holder !== holder)
      throw new ParleyError(
        "LEASE_LOST",
        `Approval ${id} is not yours to end: somebody else has claimed it, or nobody.`,
      );
    if (!(await store.endApproval(ctx.tx, { id: row.id, progress: outcome, now: isoNow(ctx) })))
      return requestedOf(ctx, row);
    // Of what the agent called, its log has the result.
    if (row.called_by !== null && output !== undefined) await store.saveOutput(ctx.tx, { id: row.id, output });
    const ended = await ownRow(ctx, id);
    await tellEnded(ctx, ended);
    return requestedOf(ctx, ended);
  });

/** A runtime begins: what an earlier one was running when it died is `unknown`, and never run again by itself. */
export const recover = (ctx: Ctx, { fence }: RecoverApprovals): Promise<Recovered> =>
  transact(ctx, async (ctx) => {
    const { principal_id: agent_id } = await self(ctx);
    await refuseOlder(ctx, agent_id, fence);
    await store.saveFence(ctx.tx, { agent_id, fence });
    const where = { space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id };
    const abandoned = await store.listAbandoned(ctx.tx, { ...where, fence });
    for (const row of abandoned) await giveUp(ctx, row, "the agent's runtime ended");
    const open = await store.listOpenOf(ctx.tx, where);
    const all = (rows: readonly StatedApprovalRow[]) => Promise.all(rows.map((row) => requestedOf(ctx, row)));
    const unknown = abandoned.map((row) => ({ ...row, state: "unknown" as const }));
    return { unknown: await all(unknown), open: await all(open) };
  });
