/**
 * What of other modules an agent's log tells: what was asked about its calls, what it asked people, and the tasks it made.
 * Each is noted in the transaction in which it happens, so a timeline never says otherwise than they do.
 */
import type { TxCtx } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import type { Reaction } from "../../../feed/reactions.ts";
import { formatId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import { findApproval, findOutcome } from "../../approvals/index.ts";
import type { AgentRow } from "../../identity/index.ts";
import { findQuestion } from "../../questions/index.ts";
import { findTask, isCaused } from "../../tasks/index.ts";
import type { CallApproval, CallOutcome } from "../schema.ts";
import * as store from "../store.ts";
import type { TurnRow } from "../tables.ts";
import { findRuntimeOf } from "./fencing.ts";
import { endDenied, tellDecided } from "./guarding.ts";
import { itemOf, log } from "./logging.ts";
import { settleTurn } from "./lost.ts";
import { statusWaiting } from "./reduce.ts";

/** What is shown of a text; its own page has all of it. */
const MOST_SHOWN = 2000;

type Approval = Awaited<ReturnType<typeof findApproval>>;
type Whose = Pick<AgentRow, "principal_id" | "name">;

/** Of what `event` tells, by the id of what it is about. */
const idIn = ({ id, ref }: FeedEvent): number => ref ?? id;

/** A call is asked about, decided, run. What no runtime has noted as a call of its model is none of its timeline. */
const followApproval: Reaction = async (ctx, event) => {
  const { stream: principal_id } = event;
  const found = await findApproval(ctx, { id: formatId(idIn(event)) });
  const { id, call_id, agent: name, state, outcome, decided_by, decided_via, reason } = found;
  const row = await store.findItem(ctx.tx, { principal_id, key: `call:${call_id}` });
  const item = row && itemOf(row);
  const turn = await turnOf(ctx, { principal_id, call_id, turn_id: item?.kind === "Tool" ? item.turn_id : null });
  if (turn?.outcome) await endLate(ctx, { principal_id, name }, { turn, found, event });
  if (item?.kind !== "Tool") return;
  const edited = found.edited_digest !== null;
  const approval = { id, state, outcome, decided_by, decided_via, reason, edited };
  const { turn_id, called_by } = item;
  const waiting = turn_id === null ? null : await noteWaiting(ctx, { principal_id, turn_id, approval });
  await log(ctx, { principal_id, name }, [
    { type: "Approval", key: `approval:${event.id}`, turn_id, call_id, approval, waiting },
  ]);
  if (called_by !== null) await endCalled(ctx, { principal_id, name }, found);
};

interface Call {
  principal_id: string;
  call_id: string;
  turn_id: number | null;
}

/** Of a call of its model, by what people see of it or, of one that they see nothing of, by the log. */
async function turnOf(ctx: TxCtx, { principal_id, call_id, turn_id }: Call): Promise<TurnRow | undefined> {
  const id = turn_id ?? (await store.findTurnOfKey(ctx.tx, { principal_id, key: call_id }));
  return id === null ? undefined : store.findTurn(ctx.tx, { space_id: ctx.tx.space_id, id });
}

const IS_OPEN: readonly CallApproval["state"][] = ["pending", "approved", "executing"];

interface Late {
  turn: TurnRow;
  found: Approval;
  event: FeedEvent;
}

/** What no runtime is there to note: the turn of the call is over. What is run after that, its runtime notes with its result. */
async function endLate(ctx: TxCtx, whose: Whose, { turn, found, event }: Late): Promise<void> {
  const { id, call_id, tool, state } = found;
  if (turn.outcome !== "interrupted") {
    // It was on its way here while the turn ended, which settles all that it has asked.
    if (IS_OPEN.includes(state)) await settleTurn(ctx, turn, { outcome: turn.outcome ?? "failed", by: null });
    return;
  }
  const outcome = state === "completed" || state === "failed" ? undefined : CALLS_END[state];
  if (outcome === undefined) return;
  const { says: output } = await findOutcome(ctx, id);
  await log(ctx, whose, [
    { type: "ToolOutput", key: `ended:${event.id}`, turn_id: null, call_id, tool, outcome, output },
  ]);
}

const CALLS_END: Partial<Record<CallApproval["state"], CallOutcome>> = {
  ...{ completed: "done", failed: "failed", denied: "denied", unknown: "interrupted" },
  ...{ expired: "aborted", withdrawn: "aborted", superseded: "aborted" },
};

/** What a person called has no turn, nor a model that is told: its end is that of its approval. */
async function endCalled(ctx: TxCtx, whose: Whose, { id, call_id, state }: Approval) {
  const outcome = CALLS_END[state];
  if (outcome === undefined) return;
  const { output, says } = await findOutcome(ctx, id);
  const ended = { call_id, outcome, output: output ?? says };
  await log(ctx, whose, [{ type: "ToolOutput", key: `${call_id}:output`, turn_id: null, ...ended }]);
}

interface Noted {
  principal_id: string;
  turn_id: number;
  approval: CallApproval;
}

/** How many calls of the turn wait for a person since; null where it is over. */
async function noteWaiting(ctx: TxCtx, { principal_id, turn_id, approval }: Noted): Promise<number | null> {
  const turn = await store.findTurn(ctx.tx, { space_id: ctx.tx.space_id, id: turn_id });
  if (!turn || turn.ended_at !== null) return null;
  const states = new Map<string, string>();
  for (const { body } of await store.listApprovalsOfTurn(ctx.tx, { principal_id, turn_id })) {
    // Written below.
    const { approval } = JSON.parse(body) as { approval: CallApproval };
    states.set(approval.id, approval.state);
  }
  states.set(approval.id, approval.state);
  const waiting = [...states.values()].filter((state) => state === "pending").length;
  const status = statusWaiting(waiting);
  if (status && status !== turn.status) await store.saveTurn(ctx.tx, { ...turn, status });
  return waiting;
}

const followQuestion: Reaction = async (ctx, event) => {
  const { stream: principal_id } = event;
  if (!(await findRuntimeOf(ctx, { principal_id }))) return;
  const found = await findQuestion(ctx, formatId(idIn(event)));
  const { id: question_id, asked_by: name, priority, blocking, state, answered_by, handed_in_by } = found;
  const question = cut(found.question, MOST_SHOWN);
  const answer = found.answer === null ? null : cut(found.answer, MOST_SHOWN);
  const told = { question_id, question, priority, blocking, state, answer, answered_by: answered_by ?? handed_in_by };
  await log(ctx, { principal_id, name }, [{ type: "Question", key: `question:${event.id}`, turn_id: null, ...told }]);
};

const ENDS = ["done", "cancelled", "dead"] as const;

/** That it was made in a turn, and its end: what goes on in between is the queue's. Of all others nothing is read. */
const followTask: Reaction = async (ctx, event) => {
  if (!isCaused(event)) return;
  const task = await findTask(ctx, idIn(event));
  const { sender_id: principal_id, sender: name, channel } = task;
  if (name === null || !(await findRuntimeOf(ctx, { principal_id }))) return;
  const outcome = ENDS.find((end) => end === task.status) ?? null;
  const result = outcome === null ? null : (task.error ?? task.response_summary ?? task.cancel_reason);
  const words = { content: cut(task.content, MOST_SHOWN), result: result === null ? null : cut(result, MOST_SHOWN) };
  const told = { task_id: formatId(task.id), channel, outcome, ...words };
  await log(ctx, { principal_id, name }, [{ type: "Task", key: `task:${event.id}`, turn_id: null, ...told }]);
};

/** Where it is denied, the turn may end with it. */
const followRuling: Reaction = async (ctx, event) => {
  await followApproval(ctx, event);
  await endDenied(ctx, event);
};

const followDecision: Reaction = async (ctx, event) => {
  await followRuling(ctx, event);
  await tellDecided(ctx, event);
};

export const followed: Readonly<Record<string, Reaction>> = {
  ...{ "approval.requested": followApproval, "approval.ruled": followRuling, "approval.decided": followDecision },
  ...{ "approval.claimed": followApproval, "approval.ended": followApproval },
  ...{ "question.added": followQuestion, "question.answered": followQuestion, "question.closed": followQuestion },
  ...{ "task.created": followTask, "task.requeued": followTask },
  ...{ "task.completed": followTask, "task.cancelled": followTask, "task.dead": followTask },
};
