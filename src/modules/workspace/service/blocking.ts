import type { TxCtx } from "../../../context.ts";
import * as store from "../store.ts";

/** What has to be completed before a task of the plan, and is not. */
export async function blockersOf(ctx: TxCtx, id: number): Promise<number[]> {
  const links = await store.listLinks(ctx.tx, { space_id: ctx.tx.space_id, first: id, last: id });
  return links
    .filter(({ kind, status }) => kind === "blocks" && status !== "completed")
    .map(({ other_id }) => other_id);
}
