/** What becomes of calls by themselves, with the turn that they were made in or with the runtime that ran them. */
import type { TxCtx } from "../../../context.ts";
import { raise } from "../../notices/index.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { withdrawRow } from "./ending.ts";
import { tellEnded } from "./events.ts";
import { findRow, isoNow } from "./wire.ts";

interface Ended {
  id: number;
  agent_id: string;
  fence: number;
  outcome: "completed" | "failed";
}

/** What a runtime ran has ended, as its log says from now on. One that is over already stays as it was. */
export async function finishCall(ctx: TxCtx, { id, agent_id, fence, outcome }: Ended): Promise<void> {
  const row = await findRow(ctx, id);
  if (row?.agent_id !== agent_id || row.fence !== fence) return;
  if (await store.endApproval(ctx.tx, { id, progress: outcome, now: isoNow(ctx) }))
    await tellEnded(ctx, { ...row, state: outcome });
}

interface Over {
  agent_id: string;
  /** Tells which of the agent's own calls these are; asked where any are open at all. */
  choose: () => Promise<(call_id: string) => boolean>;
}

async function chosen(rows: readonly StatedApprovalRow[], { choose }: Over): Promise<StatedApprovalRow[]> {
  const own = rows.filter(({ called_by }) => called_by === null);
  if (own.length === 0) return [];
  const isOf = await choose();
  return own.filter(({ call_id }) => isOf(call_id));
}

const whereOf = (ctx: TxCtx, { agent_id }: Over) => ({ space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id });

/** Nobody takes what they would give any more: what waits for a person or to be run never is. */
export async function takeBackCalls(ctx: TxCtx, over: Over): Promise<void> {
  const open = await store.listOpenOf(ctx.tx, whereOf(ctx, over));
  for (const row of await chosen(open, over)) await takeBackCall(ctx, row);
}

export async function takeBackCall(ctx: TxCtx, row: StatedApprovalRow): Promise<void> {
  if (row.state === "pending") return withdrawRow(ctx, row);
  if (await store.withdrawApproved(ctx.tx, { id: row.id, now: isoNow(ctx) }))
    await tellEnded(ctx, { ...row, state: "withdrawn" });
}

/** The same, and what is being run is `unknown` from now on. `when` is in words what has cut it off. */
export async function settleCalls(ctx: TxCtx, over: Over, when: string): Promise<void> {
  await takeBackCalls(ctx, over);
  const running = await store.listExecuting(ctx.tx, whereOf(ctx, over));
  for (const row of await chosen(running, over)) await giveUp(ctx, row, when);
}

/** It may have been run or not, and is never run again by itself: people are told. */
export async function giveUp(ctx: TxCtx, row: StatedApprovalRow, when: string): Promise<void> {
  await store.endApproval(ctx.tx, { id: row.id, progress: "unknown", now: isoNow(ctx) });
  await tellEnded(ctx, { ...row, state: "unknown" });
  await raise(ctx, {
    key: `approval.unknown ${row.id}`,
    kind: "approval.unknown",
    title: `Nobody knows whether a call of ${row.agent} was run`,
    text: `${row.tool} of ${row.server} was being run when ${when}. It is not run again by itself.`,
    agents: [row.agent],
    gather: {
      name: `approval.unknown ${row.agent_id}`,
      title: `Nobody knows whether {times} calls of ${row.agent} were run`,
    },
  });
}
