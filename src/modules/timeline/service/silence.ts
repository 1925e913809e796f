/** Whether a runtime is there: it is heard of by what it asks, and one that is not is taken for gone. */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { move } from "../../../due/index.ts";
import { type AgentRow, heartbeat, noteDoing, self } from "../../identity/index.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import { findRuntimeOf } from "./fencing.ts";
import { isoAt, isoNow } from "./wire.ts";

/** A runtime that was not heard of for so long is taken for gone. */
export const SILENT_MS = 30_000;
export const SILENT = "runtime.silent";
/** Younger than this it need not be noted again that a runtime is there. */
const FRESH_MS = 10_000;

type Heard = Pick<RuntimeRow, "seen_at" | "started_at">;

const silentAt = ({ seen_at, started_at }: Heard): number => Date.parse(seen_at ?? started_at ?? "") + SILENT_MS;

export const isSilent = (ctx: Ctx, row: Heard): boolean => silentAt(row) <= ctx.now();

/** Has it looked at once it may have been silent for too long. */
export const watch = (ctx: TxCtx, { inbox_id, name: agent }: AgentRow, row: Heard): Promise<void> =>
  move(ctx, { kind: SILENT, ref: inbox_id, at: silentAt(row), payload: { agent } });

/** It asks, so it is there: also one that was taken for gone, and had only been out of reach. */
export async function noteHeard(ctx: Ctx, agent: AgentRow, row: RuntimeRow): Promise<void> {
  const { principal_id, fence, seen_at, ended_at } = row;
  const before = isoAt(ctx.now() - FRESH_MS);
  if (seen_at === null || seen_at < before) {
    const seen = { space_id: ctx.actor.space_id, principal_id, fence, seen_at: isoNow(ctx), before };
    await store.updateSeen(ctx.database, seen);
    await heartbeat(ctx);
  }
  if (agent.lifecycle === "failed" && ended_at === null) await takeBack(ctx, fence);
}

const takeBack = (ctx: Ctx, fence: number): Promise<void> =>
  transact(ctx, async (ctx) => {
    const agent = await self(ctx);
    const row = await findRuntimeOf(ctx, agent);
    if (agent.lifecycle !== "failed" || row?.fence !== fence || row.ended_at !== null) return;
    await watch(ctx, agent, row);
    await noteDoing(ctx, agent, { lifecycle: "ready" });
  });
