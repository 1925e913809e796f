import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append, because } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import type { Answer, Notice, SettleNotice, State } from "../schema.ts";
import * as store from "../store.ts";
import { BY_HUB, type NamedNoticeRow } from "../tables.ts";
import { aboutOf, answerOf, digestOf, isoNow, MOST_TEXTS, noSuchNotice, ownNotice, TOPIC, wire } from "./wire.ts";

export const EXPIRE = "notice.expire";
const FORGET = "notice.forget";
/** For how long people can look up what became of one. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** A person answers, or says that a notice without choices is done with. */
export const settle = (ctx: Ctx, { id, ...decision }: SettleNotice): Promise<Notice> =>
  transact(ctx, async (ctx) => wire(ctx, await decide(ctx, parseId(id), decision)));

interface Decision {
  /** Of what was shown to whoever decides. */
  digest: string;
  choice?: string | undefined;
}

/** The one way by which anybody decides anything: whoever it is for, not who asked, the first, and about what was shown. */
async function decide(ctx: TxCtx, id: number, { digest, choice }: Decision): Promise<NamedNoticeRow> {
  const { principal_id } = ctx.actor;
  const row = await find(ctx, id);
  if (row.audience !== null && row.audience !== principal_id) throw noSuchNotice(id);
  if (row.raised_by === principal_id || row.by_principal_id === principal_id)
    throw new ParleyError("FORBIDDEN", "You raised this notice: somebody else has to answer it.");
  const shown = wire(ctx, row);
  checkChoice(shown, choice);
  if (shown.state === "open" && digest !== digestOf(row))
    throw new ParleyError("NOTICE_CHANGED", "This notice says something else by now. Look at it again.");
  const settling = { state: "answered", choice: choice ?? null, settled_by: principal_id } as const;
  if (!(await end(ctx, row, settling))) throw decided(shown);
  return find(ctx, id);
}

/** Who raised it no longer needs an answer. Settled already, it stays as it is. */
export function withdraw(ctx: Ctx, { id }: { id: string }): Promise<Answer> {
  return transact(ctx, async (ctx) => {
    const row = await ownNotice(ctx, parseId(id));
    await end(ctx, row, { state: "withdrawn", choice: null, settled_by: row.raised_by });
    return answerOf(ctx, await find(ctx, row.id));
  });
}

interface Condition {
  kind: string;
  topic: string;
  ref: number;
}

/**
 * What the hub told of is over: called in the transaction that ends it. A notice that tells of more goes on with the
 * rest; one of which something newer has taken the place is `superseded`.
 */
export async function close(
  ctx: TxCtx,
  condition: Condition,
  state: "withdrawn" | "superseded" = "withdrawn",
): Promise<void> {
  for (const item of await store.listItemsAbout(ctx.tx, { ...condition, space_id: ctx.tx.space_id })) {
    const row = await find(ctx, item.notice_id);
    await store.deleteItem(ctx.tx, item);
    if (row.times > 1) await tellOfRest(ctx, row);
    else await end(ctx, row, { state, choice: null, settled_by: BY_HUB });
  }
}

async function tellOfRest(ctx: TxCtx, row: NamedNoticeRow): Promise<void> {
  const { id, raised_by } = row;
  const rest = await store.listItems(ctx.tx, { space_id: ctx.tx.space_id, notice_id: id, limit: MOST_TEXTS });
  const text = rest.length === 0 ? row.text : rest.map((item) => item.text).join("\n");
  await store.updateGathering(ctx.tx, { id, times: row.times - 1, ref: rest[0]?.ref ?? row.ref, text });
  const event = { type: "notice.gathered", topic: TOPIC, stream: raised_by, ref: id };
  await append(ctx, { ...event, data: { ...aboutOf(row), state: "open" } });
}

export const noticesDue: Record<string, DueHandler> = {
  [EXPIRE]: async (ctx, { ref: id }) => {
    const row = await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id });
    if (row && (await store.expireNotice(ctx.tx, { id, now: isoNow(ctx) })))
      await tell(because(ctx, id), row, { state: "expired" });
  },
  [FORGET]: async (ctx, { ref: id }) => void (await store.deleteClosed(ctx.tx, id)),
};

async function find(ctx: TxCtx, id: number): Promise<NamedNoticeRow> {
  const row = await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (!row) throw noSuchNotice(id);
  return row;
}

interface Ending {
  state: State;
  choice: string | null;
  settled_by: string;
}

/** False for all but the first, and when its time is over. */
async function end(ctx: TxCtx, row: NamedNoticeRow, { state, choice, settled_by }: Ending): Promise<boolean> {
  if (!(await store.settleNotice(ctx.tx, { id: row.id, state, choice, settled_by, settled_at: isoNow(ctx) })))
    return false;
  await tell(ctx, row, { state, ...(state === "answered" && row.audience === null && { choice }) });
  return true;
}

async function tell(ctx: TxCtx, row: NamedNoticeRow, data: Record<string, unknown>): Promise<void> {
  if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  if (row.ref !== null) await store.deleteItems(ctx.tx, row.id);
  await plan(ctx, { kind: FORGET, ref: row.id, at: ctx.now() + KEPT_MS });
  const event = { type: "notice.settled", topic: TOPIC, stream: row.raised_by, ref: row.id };
  await append(ctx, { ...event, data: { ...aboutOf(row), ...data } });
}

function checkChoice({ choices }: Notice, choice: string | undefined): void {
  if (choices && (choice === undefined || !choices.includes(choice)))
    throw new ParleyError("INVALID_ARGUMENT", `This notice is answered with one of ${choices.join(", ")}.`);
  if (!choices && choice !== undefined)
    throw new ParleyError("INVALID_ARGUMENT", "This notice asks nothing: settle it without a choice.");
}

const ENDS = { expired: "has expired", withdrawn: "was withdrawn", superseded: "was replaced by a newer one" };

/** For people, who see what it is about: which one and when, for whoever wants to know, is in the details. */
function decided({ state, choice, settled_by, settled_at }: Notice): ParleyError {
  const details = { state, choice, settled_by, settled_at };
  if (state === "open" || state === "answered") {
    const how = choice === null ? "dealt with this already" : `answered already: ${choice}`;
    return new ParleyError("ALREADY_DECIDED", `${settled_by} has ${how}.`, { details });
  }
  return new ParleyError("NOTICE_CLOSED", `This notice ${ENDS[state]}: it can no longer be answered.`, { details });
}
