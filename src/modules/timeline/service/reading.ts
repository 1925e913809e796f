import type { Ctx } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { FROM_THE_TOP, fittingPage } from "../../../pages.ts";
import type { LogEvent, ReadLog } from "../schema.ts";
import { listSizes, listWhole } from "./lineage.ts";
import { logEvent, own } from "./wire.ts";

/** The end of the agent's log, or what comes before a place in it, oldest first: what its model is told is made of it. */
export async function readLog(
  ctx: Ctx,
  { agent: name, before_id, limit }: ReadLog,
): Promise<{ events: LogEvent[]; has_more: boolean }> {
  const { principal_id } = await own(ctx, name);
  const before = before_id === undefined ? FROM_THE_TOP : parseId(before_id);
  const behind = await listSizes(ctx, principal_id, { before_id: before, limit: limit + 1 });
  const { shown, has_more } = fittingPage(behind, limit);
  const rows = await listWhole(ctx, shown);
  return { events: rows.map(logEvent), has_more };
}
