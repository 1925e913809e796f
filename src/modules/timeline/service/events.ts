/** What events of agents and their runtimes hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { append, appendGroup, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { AgentRow } from "../../identity/index.ts";
import type { Outcome, RunStatus } from "../schema.ts";
import type { Entry } from "./entries.ts";
import { statusOf, statusWaiting } from "./reduce.ts";

/** What happens in an agent's log: each agent has a stream, by its principal. */
export const TOPIC = "timeline";
/** What its runtime has to hear of, likewise: not of what it has written itself. */
export const CONTROL = "runtime";

type Whom = Pick<AgentRow, "principal_id" | "name">;
type Change =
  | "runtime.wanted"
  | "runtime.unwanted"
  | "runtime.paused"
  | "runtime.resumed"
  | "runtime.followed"
  | "runtime.tools_set"
  | "agent.called"
  | "agent.call_refused";

/** What people want of an agent is another thing from now on. */
export const tellChange = (ctx: TxCtx, { principal_id, name }: Whom, type: Change): Promise<number> =>
  append(ctx, { type, topic: CONTROL, stream: principal_id, data: { agent: name } });

export const tellStarted = (ctx: TxCtx, { principal_id, name }: Whom, fence: number): Promise<number> =>
  append(ctx, { type: "runtime.started", topic: CONTROL, stream: principal_id, data: { agent: name, fence } });

export const tellStopping = (ctx: TxCtx, { principal_id, name }: Whom, turn_id: number): Promise<number> =>
  append(ctx, {
    ...{ type: "turn.stopping", topic: CONTROL, stream: principal_id, ref: turn_id },
    data: { agent: name, turn_id: formatId(turn_id) },
  });

/** Each entry of the log has an event of its id, which says little: the log is there to be read. */
export async function tellLogged(
  ctx: TxCtx,
  { principal_id: stream, name: agent }: Whom,
  entries: readonly Entry[],
): Promise<void> {
  const [first] = entries;
  if (!first) return;
  const { turn_id } = first;
  const data = { agent, ...(turn_id !== null && { turn_id: formatId(turn_id) }) };
  const events = entries.map((entry) => ({ id: entry.id, stream, ...thin(entry) }));
  await appendGroup(ctx, { topic: TOPIC, ref: turn_id ?? first.id, data }, events);
}

function thin(entry: Entry) {
  if (entry.type === "TurnStarted") return { type: "turn.started", data: {} };
  if (entry.type === "TurnEnded") return { type: "turn.ended", data: { outcome: entry.outcome } };
  if (entry.type === "Approval")
    return { type: "runtime.recorded", data: { entry: entry.type, waiting: entry.waiting } };
  return { type: "runtime.recorded", data: { entry: entry.type } };
}

export const wire: EventView = ({ type, data }) => ({ type, ...data });

/** One function for all who watch: a door works out once what everybody with the same one is told. */
export const anyHint: EventView = () => ({});

export interface Status {
  turn_id: string;
  status: RunStatus;
  outcome?: Outcome;
}

/** How the turn is that an event is about; undefined where it says nothing of that. */
export function statusIn({ topic, type, data: { turn_id, entry, outcome, waiting } }: FeedEvent): Status | undefined {
  if (topic !== TOPIC || typeof turn_id !== "string") return undefined;
  if (type === "turn.started") return { turn_id, status: "starting" };
  // Written by `thin`.
  if (type === "turn.ended") return { turn_id, status: statusOf(outcome as Outcome), outcome: outcome as Outcome };
  const waits = typeof waiting === "number" ? statusWaiting(waiting) : undefined;
  if (waits) return { turn_id, status: waits };
  return entry === "ModelText" || entry === "ToolCall" ? { turn_id, status: "running" } : undefined;
}
