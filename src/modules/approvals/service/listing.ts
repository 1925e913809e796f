import type { Ctx } from "../../../context.ts";
import { page, startOf } from "../../../pages.ts";
import type { Approval, ApprovalList, ApprovalRef, ListApprovals, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { riskOf } from "./policies.ts";
import { isoNow, requestedOf, rowOf, wire } from "./wire.ts";

/** What agents asked and what was decided, by whom, newest first. */
export async function list(ctx: Ctx, { state, agent, limit, before }: ListApprovals): Promise<ApprovalList> {
  const where = { space_id: ctx.actor.space_id, now: isoNow(ctx), before_id: startOf(before), limit: limit + 1 };
  const rows = await store.listApprovals(ctx.db, { ...where, state: state ?? null, agent: agent ?? null });
  const { shown, next } = page(rows, limit, ({ id }) => id);
  return { approvals: await Promise.all(shown.map((row) => shownOf(ctx, row))), next };
}

export async function get(ctx: Ctx, { id }: ApprovalRef): Promise<Approval> {
  const row = await rowOf(ctx, id);
  return { ...(await shownOf(ctx, row)), output: await outputOf(ctx, row) };
}

/** For who acts for whoever called it: what became of it, in words, and what came of it. */
export async function findOutcome(ctx: Ctx, id: string): Promise<Requested & Pick<Approval, "output">> {
  const row = await rowOf(ctx, id);
  return { ...(await requestedOf(ctx, row)), output: await outputOf(ctx, row) };
}

const outputOf = async (ctx: Ctx, { id, called_by }: StatedApprovalRow): Promise<string | null> =>
  called_by === null ? null : store.findOutput(ctx.db, { space_id: ctx.actor.space_id, id });

const shownOf = async (ctx: Ctx, row: StatedApprovalRow): Promise<Approval> => ({
  ...wire(row),
  risk: row.state === "pending" ? await riskOf(ctx, row) : null,
});
