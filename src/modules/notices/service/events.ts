/** What events of notices hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { dataOf, defineEvent, type EventView, type FeedEvent, isAny } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { State } from "../schema.ts";
import type { NamedNoticeRow } from "../tables.ts";

export const TOPIC = "notice";
/** On the stream of whoever puts something off: for others nothing has changed. */
export const NEED_TOPIC = "need";

/** Of one that is for somebody alone, nobody is told what it is about, or what was answered. */
type Facts = { kind?: string };
type Pending = Facts & { state: "pending"; until: string };
type Settled = Facts & { state: State; choice?: string | null };

const raised = defineEvent<Facts>({ topic: TOPIC, type: "notice.raised" });
/** It tells of more than before, or of less. */
const gathered = defineEvent<Facts>({ topic: TOPIC, type: "notice.gathered" });
const pending = defineEvent<Pending>({ topic: TOPIC, type: "notice.pending" });
const settled = defineEvent<Settled>({ topic: TOPIC, type: "notice.settled" });
const isOfNotice = isAny<Facts>([raised, gathered, pending, settled]);
const needChanged = defineEvent<Record<string, never>>({ topic: NEED_TOPIC, type: "need.changed" });

export const SETTLED = settled.type;

const factsOf = ({ kind, audience }: Pick<NamedNoticeRow, "kind" | "audience">): Facts =>
  audience === null ? { kind } : {};

/** Whose id is that of the event. */
export const tellRaised = (
  ctx: TxCtx,
  about: Pick<NamedNoticeRow, "kind" | "audience" | "raised_by">,
): Promise<number> => raised.append(ctx, { stream: about.raised_by, data: factsOf(about) });

export const tellGathered = (ctx: TxCtx, row: NamedNoticeRow): Promise<number> =>
  gathered.append(ctx, { ...of(row), data: factsOf(row) });

/** A person has said: not now. */
export const tellPending = (ctx: TxCtx, row: NamedNoticeRow, until: string): Promise<number> =>
  pending.append(ctx, { ...of(row), data: { ...factsOf(row), state: "pending", until } });

export const tellSettled = (
  ctx: TxCtx,
  row: NamedNoticeRow,
  { state, choice }: { state: State; choice: string | null },
): Promise<number> => {
  const answer = state === "answered" && row.audience === null && { choice };
  return settled.append(ctx, { ...of(row), data: { ...factsOf(row), state, ...answer } });
};

const of = ({ id, raised_by }: NamedNoticeRow) => ({ stream: raised_by, ref: id });

export const tellNeed = (ctx: TxCtx, principal_id: string, ref: number): Promise<number> =>
  needChanged.append(ctx, { stream: principal_id, ref, data: {} });

/** Followers of the topic are told the same of every notice, with null for what they may not know. */
export const wire: EventView = (event) => {
  const { kind = null } = dataOf(event, isOfNotice);
  return { notice_id: formatId(event.ref), kind, ...stateIn(event) };
};

function stateIn(event: FeedEvent) {
  if (settled.is(event)) return { state: event.data.state, choice: event.data.choice ?? null };
  if (pending.is(event)) return { state: event.data.state, until: event.data.until };
  return { state: "open" };
}

/** What was answered to a notice that is for everybody. */
export function answerIn(event: FeedEvent): { kind: string | undefined; choice: string | null } {
  const { kind, choice = null } = dataOf(event, settled.is);
  return { kind, choice };
}
