/** What events of notices hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { State } from "../schema.ts";
import type { NamedNoticeRow } from "../tables.ts";

export const TOPIC = "notice";
export const SETTLED = "notice.settled";
/** On the stream of whoever puts something off: for others nothing has changed. */
export const NEED_TOPIC = "need";

type About = Pick<NamedNoticeRow, "kind" | "audience" | "raised_by">;

type Facts = {
  /** Of one that is for somebody alone, nobody is told what it is about, or what was answered. */
  kind?: string;
  /** Left out while it is open. */
  state?: State | "pending";
  until?: string;
  choice?: string | null;
};

/** Whose id is that of the event. */
export const tellRaised = (ctx: TxCtx, about: About): Promise<number> =>
  append(ctx, { type: "notice.raised", topic: TOPIC, stream: about.raised_by, data: publicFacts(about) });

/** It tells of more than before, or of less. */
export const tellGathered = (ctx: TxCtx, row: NamedNoticeRow): Promise<number> => tell(ctx, "notice.gathered", row);

/** A person has said: not now. */
export const tellPending = (ctx: TxCtx, row: NamedNoticeRow, until: string): Promise<number> =>
  tell(ctx, "notice.pending", row, { state: "pending", until });

export const tellSettled = (
  ctx: TxCtx,
  row: NamedNoticeRow,
  { state, choice }: { state: State; choice: string | null },
): Promise<number> =>
  tell(ctx, SETTLED, row, { state, ...(state === "answered" && row.audience === null && { choice }) });

const tell = (ctx: TxCtx, type: string, row: NamedNoticeRow, facts: Facts = {}): Promise<number> =>
  append(ctx, {
    ...{ type, topic: TOPIC, stream: row.raised_by, ref: row.id },
    data: { ...publicFacts(row), ...facts },
  });

const publicFacts = ({ kind, audience }: About): Facts => (audience === null ? { kind } : {});

export const tellNeed = (ctx: TxCtx, principal_id: string, ref: number): Promise<number> =>
  append(ctx, { type: "need.changed", topic: NEED_TOPIC, stream: principal_id, ref, data: {} });

/** Written above. */
const factsOf = ({ data }: FeedEvent): Facts => data;

/** Followers of the topic are told the same of every notice, with null for what they may not know. */
export const wire: EventView = (event) => {
  const { kind = null, state = "open", until, choice = null } = factsOf(event);
  return {
    ...{ notice_id: formatId(event.ref), kind, state },
    ...(state === "pending" && { until }),
    ...(event.type === SETTLED && { choice }),
  };
};

/** What was answered to a notice that is for everybody. */
export function answerIn(event: FeedEvent): { kind: string | undefined; choice: string | null } {
  const { kind, choice = null } = factsOf(event);
  return { kind, choice };
}
