import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { because } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import { expire, supersede, takeBack } from "../../notices/index.ts";
import type { ApprovalRef, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { tellDecided } from "./events.ts";
import { findRow, isoNow, ownRow, requestedOf } from "./wire.ts";

/** Whether the time to decide is over. */
export const EXPIRE = "approval.expire";

/** Who asked needs no answer any more. One that is over stays as it is. */
export const withdraw = (ctx: Ctx, { id }: ApprovalRef): Promise<Requested> =>
  transact(ctx, async (ctx) => {
    const row = await ownRow(ctx, id);
    if (row.called_by !== null)
      throw new ParleyError("FORBIDDEN", `${row.called_by_name} called it, and takes it back by denying it.`);
    if (row.notice_state !== null) await withdrawRow(ctx, row);
    return requestedOf(ctx, await ownRow(ctx, id));
  });

/** The same for who acts for whoever asked. */
export async function withdrawOpen(ctx: TxCtx, id: number): Promise<void> {
  const row = await findRow(ctx, id);
  if (row?.state === "pending") await withdrawRow(ctx, row);
}

export async function withdrawRow(ctx: TxCtx, row: StatedApprovalRow): Promise<void> {
  if (await takeBack(ctx, row.id, row.agent_id)) await conclude(ctx, row, "withdrawn");
}

/** The same call of a model is asked about anew: what was shown of it before counts no more. No call of a person is one. */
export async function supersedeEarlier(ctx: TxCtx, { agent_id, server, call_id }: ModelsCall): Promise<void> {
  const open = await store.listPendingOf(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id });
  for (const row of open)
    if (row.server === server && row.call_id === call_id && row.called_by === null)
      if (await supersede(ctx, row.id)) await conclude(ctx, row, "superseded");
}

type ModelsCall = Pick<StatedApprovalRow, "agent_id" | "server" | "call_id">;

async function conclude(ctx: TxCtx, row: StatedApprovalRow, state: "withdrawn" | "superseded"): Promise<void> {
  if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  await tellDecided(ctx, { ...row, state }, null);
}

/** Its time is over: nobody has refused it, and nothing runs. */
export const expireApproval: DueHandler = async (outer, { ref }) => {
  const ctx = because(outer, ref);
  const row = await findRow(ctx, ref);
  if (row && (await expire(ctx, ref))) await tellDecided(ctx, { ...row, state: "expired" }, null);
};
