import type { Ctx } from "../../../context.ts";
import { page, startOf } from "../../../pages.ts";
import type { Approval, ApprovalList, ApprovalRef, ListApprovals } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { riskOf } from "./policies.ts";
import { isoNow, rowOf, wire } from "./wire.ts";

/** What agents asked and what was decided, by whom, newest first. */
export async function list(ctx: Ctx, { state, agent, limit, before }: ListApprovals): Promise<ApprovalList> {
  const where = { space_id: ctx.actor.space_id, now: isoNow(ctx), before_id: startOf(before), limit: limit + 1 };
  const rows = await store.listApprovals(ctx.db, { ...where, state: state ?? null, agent: agent ?? null });
  const { shown, next } = page(rows, limit, ({ id }) => id);
  return { approvals: await Promise.all(shown.map((row) => shownOf(ctx, row))), next };
}

export const get = async (ctx: Ctx, { id }: ApprovalRef): Promise<Approval> => shownOf(ctx, await rowOf(ctx, id));

const shownOf = async (ctx: Ctx, row: StatedApprovalRow): Promise<Approval> => ({
  ...wire(row),
  risk: row.state === "pending" ? await riskOf(ctx, row) : null,
});
