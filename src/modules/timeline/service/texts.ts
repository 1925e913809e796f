/** The whole of what a call was given and gave, a page at a time: an item of the timeline has the beginning of it. */
import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { ReadText, TextPage } from "../schema.ts";
import * as store from "../store.ts";
import { whose } from "./items.ts";
import { itemOf } from "./logging.ts";

/** Whoever may read the timeline may read this. */
export async function readText(ctx: Ctx, { agent, id, part, offset, limit }: ReadText): Promise<TextPage> {
  const { principal_id = "" } = await whose(ctx, agent);
  const { space_id } = ctx.actor;
  const row = await store.findItemById(ctx.db, { space_id, principal_id, id: parseId(id) });
  const item = row && itemOf(row);
  if (item?.kind !== "Tool")
    throw new ParleyError("NOT_FOUND", `There is no call ${id} on this timeline. timeline_read shows which there are.`);
  const logged = part === "arguments" ? item.id : item.ended_id;
  const long = logged === null ? null : await store.findEventText(ctx.db, { space_id, id: logged });
  const whole = long ?? item[part] ?? "";
  const end = endOf(whole, Math.min(offset + limit, whole.length));
  return {
    ...{ id: formatId(item.id), part, offset, text: whole.slice(offset, end).toWellFormed() },
    ...{ length: whole.length, next_offset: end < whole.length ? end : null },
  };
}

/** Between characters: half of one is none. */
const endOf = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "") ? end + 1 : end;
