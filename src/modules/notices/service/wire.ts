import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import type { Answer, Notice } from "../schema.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";

export const TOPIC = "notice";

export const isoNow = (ctx: Ctx): string => new Date(ctx.now()).toISOString();

export function wire(ctx: Ctx, row: NamedNoticeRow): Notice {
  const { id, kind, title, text, topic, ref, agents, choices, expires_at, choice } = row;
  // Its time may be over before anybody has noted it.
  const over = row.state === "open" && expires_at !== null && expires_at <= isoNow(ctx);
  return {
    id: formatId(id),
    kind,
    title,
    text,
    topic,
    ref: ref === null ? null : formatId(ref),
    agents: agents === null ? null : JSON.parse(agents),
    choices: choices === null ? null : JSON.parse(choices),
    raised_by: row.raised_by_name,
    raised_at: timeOfId(id),
    times: row.times,
    expires_at,
    state: over ? "expired" : row.state,
    choice,
    settled_by: row.settled_by_name,
    settled_at: over ? expires_at : row.settled_at,
  };
}

export const answerOf = ({ id, state, choice, settled_by }: Notice): Answer => ({ id, state, choice, settled_by });

/** To whoever did not raise it, it does not exist. */
export async function ownNotice(ctx: Ctx, id: number): Promise<NamedNoticeRow> {
  const { principal_id } = await self(ctx);
  const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id });
  if (row?.raised_by !== principal_id) throw noSuchNotice(id);
  return row;
}

export const noSuchNotice = (id: number): ParleyError =>
  new ParleyError("NOTICE_NOT_FOUND", `There is no notice ${formatId(id)} here. notice_list shows what there is.`);
