/** What events of agents and their runtimes hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { appendGroup, defineEvent, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { AgentRow } from "../../identity/index.ts";
import type { Outcome, RunStatus } from "../schema.ts";
import type { Entry } from "./entries.ts";
import { statusOf, statusWaiting } from "./reduce.ts";

/** What happens in an agent's log: each agent has a stream, by its principal. */
export const TOPIC = "timeline";
/** What its runtime has to hear of, likewise: not of what it has written itself. */
export const CONTROL = "runtime";

type Of = { agent: string };
type OfTurn = Of & { turn_id?: string };

const turnStarted = defineEvent<OfTurn>({ topic: TOPIC, type: "turn.started" });
const turnEnded = defineEvent<OfTurn & { outcome: Outcome }>({ topic: TOPIC, type: "turn.ended" });
const recorded = defineEvent<OfTurn & { entry: Entry["type"]; waiting?: number | null }>({
  topic: TOPIC,
  type: "runtime.recorded",
});

/** What people want of an agent is another thing from now on. */
const CHANGES = {
  wanted: defineEvent<Of>({ topic: CONTROL, type: "runtime.wanted" }),
  unwanted: defineEvent<Of>({ topic: CONTROL, type: "runtime.unwanted" }),
  paused: defineEvent<Of>({ topic: CONTROL, type: "runtime.paused" }),
  resumed: defineEvent<Of>({ topic: CONTROL, type: "runtime.resumed" }),
  followed: defineEvent<Of>({ topic: CONTROL, type: "runtime.followed" }),
  tools_set: defineEvent<Of>({ topic: CONTROL, type: "runtime.tools_set" }),
  called: defineEvent<Of>({ topic: CONTROL, type: "agent.called" }),
  call_refused: defineEvent<Of>({ topic: CONTROL, type: "agent.call_refused" }),
};
const started = defineEvent<Of & { fence: number }>({ topic: CONTROL, type: "runtime.started" });
const turnStopping = defineEvent<Of & { turn_id: string }>({ topic: CONTROL, type: "turn.stopping" });

type Whom = Pick<AgentRow, "principal_id" | "name">;

export const tellChange = (ctx: TxCtx, { principal_id, name }: Whom, change: keyof typeof CHANGES): Promise<number> =>
  CHANGES[change].append(ctx, { stream: principal_id, data: { agent: name } });

export const tellStarted = (ctx: TxCtx, { principal_id, name }: Whom, fence: number): Promise<number> =>
  started.append(ctx, { stream: principal_id, data: { agent: name, fence } });

export const tellStopping = (ctx: TxCtx, { principal_id, name }: Whom, turn_id: number): Promise<number> =>
  turnStopping.append(ctx, {
    ...{ stream: principal_id, ref: turn_id },
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
  const data: OfTurn = { agent, ...(turn_id !== null && { turn_id: formatId(turn_id) }) };
  const events = entries.map((entry) => memberOf(entry, stream));
  await appendGroup(ctx, { topic: TOPIC, ref: turn_id ?? first.id, data }, events);
}

function memberOf(entry: Entry, stream: string) {
  const { id, type } = entry;
  if (type === "TurnStarted") return turnStarted.member<OfTurn>({ id, stream, data: {} });
  if (type === "TurnEnded") return turnEnded.member<OfTurn>({ id, stream, data: { outcome: entry.outcome } });
  const waiting = type === "Approval" && { waiting: entry.waiting };
  return recorded.member<OfTurn>({ id, stream, data: { entry: type, ...waiting } });
}

/** Whether somebody's tools were turned off or on. */
export const isToolsChange = (event: FeedEvent): boolean => CHANGES.tools_set.is(event);

export const wire: EventView = ({ type, data }) => ({ type, ...data });

/** One function for all who watch: a door works out once what everybody with the same one is told. */
export const anyHint: EventView = () => ({});

export interface Status {
  turn_id: string;
  status: RunStatus;
  outcome?: Outcome;
}

/** How the turn is that an event is about; undefined where it says nothing of that. */
export function statusIn(event: FeedEvent): Status | undefined {
  if (!turnStarted.is(event) && !turnEnded.is(event) && !recorded.is(event)) return undefined;
  const { turn_id } = event.data;
  if (turn_id === undefined) return undefined;
  if (turnEnded.is(event)) {
    const { outcome } = event.data;
    return { turn_id, status: statusOf(outcome), outcome };
  }
  if (!recorded.is(event)) return { turn_id, status: "starting" };
  const { entry, waiting } = event.data;
  const waits = typeof waiting === "number" ? statusWaiting(waiting) : undefined;
  if (waits) return { turn_id, status: waits };
  return entry === "ModelText" || entry === "ToolCall" ? { turn_id, status: "running" } : undefined;
}
