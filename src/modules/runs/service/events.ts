/** What events of runs hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { RunRow } from "../tables.ts";

export const TOPIC = "run";
const STOPPING = "run.stopping";
/** Something fails in a row from now on, or no longer. */
export const OF_STREAKS = ["streak.began", "streak.ended"];

const TYPES = {
  planned: "run.planned",
  started: "run.started",
  stopping: STOPPING,
  requeued: "run.requeued",
  ended: "run.ended",
} as const;

type Named = Pick<RunRow, "kind" | "name">;

/** By what it is for: whoever fired it follows its own. */
const streamOf = ({ kind, name }: Named): string => `${kind}:${name}`;

export function tell(
  ctx: TxCtx,
  row: RunRow,
  what: keyof typeof TYPES,
  more: Record<string, unknown> = {},
): Promise<number> {
  const { id: ref, kind, name, session_key, state, attempt } = row;
  const data = { run_id: formatId(ref), kind, name, session_key, state, attempt, ...more };
  const event = { type: TYPES[what], topic: TOPIC, stream: streamOf(row), data };
  return append(ctx, what === "planned" ? { ...event, id: ref } : { ...event, ref });
}

export const tellPaused = (ctx: TxCtx, data: { paused_by: string; paused_at: string }): Promise<number> =>
  append(ctx, { type: "run.paused", topic: TOPIC, stream: "", data });

export const tellResumed = (ctx: TxCtx): Promise<number> =>
  append(ctx, { type: "run.resumed", topic: TOPIC, stream: "", data: { by: ctx.actor.name } });

export const tellStreak = (ctx: TxCtx, what: "began" | "ended", { kind, name }: Named): Promise<number> =>
  append(ctx, { type: `streak.${what}`, topic: TOPIC, stream: streamOf({ kind, name }), data: { kind, name } });

/** For what the run is that an event tells of, and what it has become. */
export const runIn = ({ data }: FeedEvent): { kind: string; name: string; state: string } => ({
  kind: String(data.kind),
  name: String(data.name),
  state: String(data.state),
});

/** Which run is to end, by an event that says so. */
export const stoppedIn = ({ type, data }: FeedEvent): string | undefined =>
  type === STOPPING ? String(data.run_id) : undefined;
