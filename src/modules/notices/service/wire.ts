import { hash } from "node:crypto";
import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import type { Answer, Notice } from "../schema.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";

/** As many texts as one notice gathers: from then on it only counts. */
export const MOST_TEXTS = 10;

export const isoNow = (ctx: Ctx): string => new Date(ctx.now()).toISOString();

export function wire(ctx: Ctx, row: NamedNoticeRow): Notice {
  const { id, kind, text, topic, ref, agents, choices, expires_at, choice } = row;
  // Its time may be over before anybody has noted it.
  const over = row.state === "open" && expires_at !== null && expires_at <= isoNow(ctx);
  return {
    id: formatId(id),
    kind,
    title: titleOf(row),
    text,
    topic,
    ref: ref === null ? null : formatId(ref),
    agents: agents === null ? null : JSON.parse(agents),
    choices: choices === null ? null : JSON.parse(choices),
    raised_by: row.raised_by_name,
    raised_at: timeOfId(id),
    audience: row.audience_name,
    digest: digestOf(row),
    times: row.times,
    expires_at,
    state: over ? "expired" : row.state,
    choice,
    settled_by: row.settled_by_name,
    settled_at: over ? expires_at : row.settled_at,
  };
}

export const titleOf = ({ title, title_many, times }: NamedNoticeRow): string =>
  title_many !== null && times > 1 ? title_many.replace("{times}", String(times)) : title;

/** The module's own, or that of all a person is shown: what says something else has another. */
export function digestOf(row: NamedNoticeRow): string {
  const { digest, raised_by, kind, text, topic, ref, agents, choices } = row;
  if (digest !== null) return digest;
  const words = [raised_by, kind, titleOf(row), text, topic, ref, agents, choices];
  return hash("sha256", `parley-notice-v1\n${JSON.stringify(words)}`);
}

export async function answerOf(ctx: Ctx, row: NamedNoticeRow): Promise<Answer> {
  const { id, state, choice, settled_by } = wire(ctx, row);
  const pending_until = state === "open" ? await pendingUntil(ctx, row.id) : null;
  return { id, state, choice, settled_by, pending_until };
}

/** Until when somebody has put it off; null if nobody did. */
export const pendingUntil = (ctx: Ctx, id: number): Promise<string | null> =>
  store.findPutOffUntil(ctx.db, { space_id: ctx.actor.space_id, ref: id, now: isoNow(ctx) });

/** To whoever did not raise it, it does not exist. */
export async function ownNotice(ctx: Ctx, id: number): Promise<NamedNoticeRow> {
  const { principal_id } = await self(ctx);
  const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id });
  if (row?.raised_by !== principal_id) throw noSuchNotice(id);
  return row;
}

export const noSuchNotice = (id: number): ParleyError =>
  new ParleyError("NOTICE_NOT_FOUND", `There is no notice ${formatId(id)} here. notice_list shows what there is.`);
