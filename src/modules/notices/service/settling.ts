import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { because } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import type { Answer, Notice, SettleNotice, State } from "../schema.ts";
import * as store from "../store.ts";
import { BY_HUB, type NamedNoticeRow } from "../tables.ts";
import { tellGathered, tellSettled } from "./events.ts";
import { answerOf, digestOf, isoNow, MOST_TEXTS, noSuchNotice, ownNotice, wire } from "./wire.ts";

export const EXPIRE = "notice.expire";
const FORGET = "notice.forget";
/** For how long people can look up what became of one. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

/** A person answers, or says that a notice without choices is done with. */
export const settle = (ctx: Ctx, { id, digest, choice }: SettleNotice): Promise<Notice> =>
  transact(ctx, async (ctx) => {
    const row = await find(ctx, parseId(id));
    const shown = wire(ctx, row);
    const check = (): void => {
      refuseOthers(row);
      checkChoice(shown, choice);
      if (shown.state === "open" && digest !== digestOf(row))
        throw new ParleyError("NOTICE_CHANGED", "This notice says something else by now. Look at it again.");
    };
    if (!(await decide(ctx, row, { by: ctx.actor.principal_id, choice, check }))) throw decided(shown);
    return wire(ctx, await find(ctx, row.id));
  });

interface Answering {
  /** The principal who answers, or who hands in what a person said. */
  by: string;
  /** `by` says what a person said, which who asked may do too. */
  hands_in?: boolean | undefined;
  /** Also when its time is over. */
  late?: boolean;
  /** Where it is answered with one of several. */
  choice?: string | undefined;
}

/** Answers what a module asked, in whatever words that module takes and keeps. False where somebody was first. */
export const answer = async (ctx: TxCtx, id: number, answering: Answering): Promise<boolean> =>
  decide(ctx, await find(ctx, id), answering);

interface Decision extends Answering {
  check?: () => void;
}

/** The one way by which anybody decides anything: whoever it is for, not who asked, the first, and about what was shown. */
async function decide(ctx: TxCtx, row: NamedNoticeRow, decision: Decision): Promise<boolean> {
  const { by, hands_in, late = false, choice = null, check } = decision;
  if (row.audience !== null && row.audience !== by) throw noSuchNotice(row.id);
  if (!hands_in && (row.raised_by === by || row.by_principal_id === by))
    throw new ParleyError("FORBIDDEN", "You raised this notice: somebody else has to answer it.");
  check?.();
  return end(ctx, row, { state: "answered", choice, settled_by: by, late });
}

/** The module that has the details of it also ends it: by itself it would leave them behind. */
function refuseOthers({ tool }: NamedNoticeRow): void {
  if (tool !== null)
    throw new ParleyError("INVALID_ARGUMENT", `This is more than a notice: it is answered with ${tool}.`);
}

/** Nobody needs an answer to what a module asked any more, as `by` says. False where it was over. */
export const takeBack = async (ctx: TxCtx, id: number, by: string): Promise<boolean> =>
  end(ctx, await find(ctx, id), { state: "withdrawn", choice: null, settled_by: by });

/** Something newer has taken the place of what a module asked. False where it was over. */
export const supersede = async (ctx: TxCtx, id: number): Promise<boolean> =>
  end(ctx, await find(ctx, id), { state: "superseded", choice: null, settled_by: BY_HUB });

/** Who raised it no longer needs an answer. Settled already, it stays as it is. */
export function withdraw(ctx: Ctx, { id }: { id: string }): Promise<Answer> {
  return transact(ctx, async (ctx) => {
    const row = await ownNotice(ctx, parseId(id));
    refuseOthers(row);
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
  const { id } = row;
  const rest = await store.listItems(ctx.tx, { space_id: ctx.tx.space_id, notice_id: id, limit: MOST_TEXTS });
  const text = rest.length === 0 ? row.text : rest.map((item) => item.text).join("\n");
  await store.updateGathering(ctx.tx, { id, times: row.times - 1, ref: rest[0]?.ref ?? row.ref, text });
  await tellGathered(ctx, row);
}

/** Its time has come. False where it was over before. */
export async function expire(ctx: TxCtx, id: number): Promise<boolean> {
  const row = await store.findNotice(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (!row || !(await store.expireNotice(ctx.tx, { id, now: isoNow(ctx) }))) return false;
  await conclude(because(ctx, id), row, { state: "expired", choice: null });
  return true;
}

/** For what another module keeps beside them, and forgets. What is open stays. */
export async function forget(ctx: TxCtx, ids: readonly number[]): Promise<void> {
  for (const id of ids) await store.deleteClosed(ctx.tx, id);
}

export const noticesDue: Record<string, DueHandler> = {
  [EXPIRE]: async (ctx, { ref }) => void (await expire(ctx, ref)),
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
  late?: boolean;
}

/** False for all but the first, and when its time is over. */
async function end(ctx: TxCtx, row: NamedNoticeRow, { late, ...ending }: Ending): Promise<boolean> {
  const settleIn = late ? store.settleNoticeLate : store.settleNotice;
  if (!(await settleIn(ctx.tx, { id: row.id, ...ending, settled_at: isoNow(ctx) }))) return false;
  await conclude(ctx, row, ending);
  return true;
}

async function conclude(ctx: TxCtx, row: NamedNoticeRow, settled: Pick<Ending, "state" | "choice">): Promise<void> {
  if (row.expires_at && row.tool === null) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  if (row.ref !== null) await store.deleteItems(ctx.tx, row.id);
  if (row.tool === null) await plan(ctx, { kind: FORGET, ref: row.id, at: ctx.now() + KEPT_MS });
  await tellSettled(ctx, row, settled);
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
