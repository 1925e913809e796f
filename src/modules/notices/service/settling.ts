import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { append } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import type { Answer, Notice, SettleNotice } from "../schema.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";
import { answerOf, isoNow, noSuchNotice, ownNotice, TOPIC, wire } from "./wire.ts";

export const EXPIRE = "notice.expire";
const FORGET = "notice.forget";
/** For how long people can look up what became of one. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** A person answers, or says that a notice without choices is done with. */
export function settle(ctx: Ctx, { id, choice }: SettleNotice): Promise<Notice> {
  return transact(ctx, async (ctx) => {
    const row = await find(ctx, parseId(id));
    if (row.raised_by === ctx.actor.principal_id)
      throw new ParleyError("FORBIDDEN", `You raised notice ${id}: somebody else has to answer it.`);
    checkChoice(wire(ctx, row), choice);
    const settled_at = isoNow(ctx);
    const settling = { id: row.id, state: "settled", settled_by: ctx.actor.principal_id, settled_at } as const;
    if (!(await store.settleNotice(ctx.tx, { ...settling, choice: choice ?? null }))) throw decided(wire(ctx, row));
    await tell(ctx, row, { state: "settled", choice: choice ?? null });
    return wire(ctx, await find(ctx, row.id));
  });
}

/** Who raised it no longer needs an answer. Settled already, it stays as it is. */
export function withdraw(ctx: Ctx, { id }: { id: string }): Promise<Answer> {
  return transact(ctx, async (ctx) => {
    const row = await ownNotice(ctx, parseId(id));
    const settled = { id: row.id, state: "withdrawn", settled_by: row.raised_by, settled_at: isoNow(ctx) } as const;
    if (await store.settleNotice(ctx.tx, { ...settled, choice: null })) await tell(ctx, row, { state: "withdrawn" });
    return answerOf(wire(ctx, await find(ctx, row.id)));
  });
}

export const noticesDue: Record<string, DueHandler> = {
  [EXPIRE]: async (ctx, { ref: id }) => {
    const row = await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id });
    if (row && (await store.expireNotice(ctx.tx, { id, now: isoNow(ctx) }))) await tell(ctx, row, { state: "expired" });
  },
  [FORGET]: async (ctx, { ref: id }) => void (await store.deleteClosed(ctx.tx, id)),
};

async function find(ctx: TxCtx, id: number): Promise<NamedNoticeRow> {
  const row = await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (!row) throw noSuchNotice(id);
  return row;
}

async function tell(ctx: TxCtx, row: NamedNoticeRow, data: Record<string, unknown>): Promise<void> {
  if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  await plan(ctx, { kind: FORGET, ref: row.id, at: ctx.now() + KEPT_MS });
  const event = { type: "notice.settled", topic: TOPIC, stream: row.raised_by, ref: row.id };
  await append(ctx, { ...event, data: { kind: row.kind, ...data } });
}

function checkChoice({ id, choices }: Notice, choice: string | undefined): void {
  if (choices && (choice === undefined || !choices.includes(choice)))
    throw new ParleyError("INVALID_ARGUMENT", `Notice ${id} is answered with one of ${choices.join(", ")}.`);
  if (!choices && choice !== undefined)
    throw new ParleyError("INVALID_ARGUMENT", `Notice ${id} asks nothing: settle it without a choice.`);
}

function decided({ id, state, choice, settled_by, settled_at }: Notice): ParleyError {
  const details = { state, choice, settled_by, settled_at };
  if (state !== "settled")
    return new ParleyError("NOTICE_CLOSED", `Notice ${id} was ${state} at ${settled_at}.`, { details });
  const how = choice === null ? "settled" : `answered with ${choice}`;
  return new ParleyError("ALREADY_DECIDED", `${settled_by} has ${how} notice ${id} at ${settled_at}.`, { details });
}
