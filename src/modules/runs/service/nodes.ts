import { type Ctx, transact } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import type { Can, Kind } from "../schema.ts";
import * as store from "../store.ts";
import { canAny, FORGET_MS, isoAt, isoNow } from "./wire.ts";

export interface Node {
  id: string;
  boot: string;
  host: string;
}

interface Announced extends Node {
  can: Can;
  lease_ms: number;
}

/** A node has started: what an earlier start of it had begun is nobody's from now on. */
export function announceNode(ctx: Ctx, { can, lease_ms, ...node }: Announced): Promise<void> {
  const announce = async (ctx: Parameters<Parameters<typeof transact>[1]>[0]): Promise<void> => {
    const lease_until = isoAt(ctx.now() + lease_ms);
    await store.deleteNodes(ctx.tx, isoAt(ctx.now() - FORGET_MS));
    await store.saveNode(ctx.tx, { ...node, can: JSON.stringify(can), started_at: isoNow(ctx), lease_until });
  };
  return transact(ctx, announce, { space_id: HUB_SPACE });
}

/** It is still there. False when another start of it has taken its place. */
export const renewNode = (ctx: Ctx, { id, boot, can, lease_ms }: Announced): Promise<boolean> =>
  store.renewNode(ctx.database, { id, boot, can: JSON.stringify(can), lease_until: isoAt(ctx.now() + lease_ms) });

/** It ends in good order, and is not expected back. */
export const removeNode = (ctx: Ctx, { id, boot }: Node): Promise<void> =>
  transact(ctx, (ctx) => store.deleteNode(ctx.tx, { id, boot }), { space_id: HUB_SPACE });

/** Which are there just now. */
export const listNodes = async (ctx: Ctx): Promise<string[]> =>
  (await store.listLiveNodes(ctx.db, isoNow(ctx))).map(({ id }) => id);

/**
 * Whether there is a node that would start something for it, or was of late: what is planned while one comes back waits
 * for it.
 */
export const isConfigured = async (ctx: Ctx, of: { kind: Kind; name: string }): Promise<boolean> =>
  (await startable(ctx))(of);

/** Which of them any node has a program for. */
export async function startable(ctx: Ctx): Promise<(of: { kind: Kind; name: string }) => boolean> {
  const nodes = await store.listLiveNodes(ctx.db, isoAt(ctx.now() - FORGET_MS));
  return (of) => canAny(nodes, of);
}
