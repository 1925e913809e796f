/**
 * Calls whose turn ends before they do. Each is noted with what is true of it, since no model goes on from a call without a
 * result; and unless the next runtime sees to them nothing of them is left to be decided or run.
 */
import type { TxCtx } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { findOutcome, settleCalls, takeBackCalls, withdrawCalled } from "../../approvals/index.ts";
import type { CallApproval, CallOutcome, Outcome } from "../schema.ts";
import * as store from "../store.ts";
import type { TurnRow } from "../tables.ts";
import { itemOf, type NewEntry } from "./logging.ts";

type LogRow = { type: string; body: string };
type OfTurn = Pick<TurnRow, "id" | "principal_id">;

export interface Cut {
  outcome: Outcome;
  error?: string | undefined;
  /** Who has aborted it, where that is known. */
  by: string | null;
}

/** The results that never came. `told` is what the log has of the turn. */
export async function lostResults(ctx: TxCtx, turn: OfTurn, told: readonly LogRow[], cut: Cut): Promise<NewEntry[]> {
  const lost: NewEntry[] = [];
  for (const call_id of callsWithout(told)) {
    const { principal_id, id: turn_id } = turn;
    const row = await store.findItem(ctx.tx, { principal_id, key: `call:${call_id}` });
    const item = row && itemOf(row);
    const approval = item?.kind === "Tool" ? item.approval : null;
    const result = (await endOf(ctx, approval, cut)) ?? wordsFor(cut, approval?.state);
    lost.push({ type: "ToolOutput", key: `lost:${call_id}`, turn_id, call_id, ...result });
  }
  return lost;
}

function callsWithout(told: readonly LogRow[]): string[] {
  const open = new Set<string>();
  for (const { type, body } of told) {
    const { call_id }: { call_id?: string } = JSON.parse(body);
    if (call_id === undefined) continue;
    if (type === "ToolCall") open.add(call_id);
    else open.delete(call_id);
  }
  return [...open];
}

type Result = { outcome: CallOutcome; output: string };

const UNDECIDED: readonly string[] = ["expired", "withdrawn", "superseded"];

/** Of one that was over before its turn was, what its approval says. An abort takes back what waited, and says so itself. */
async function endOf(ctx: TxCtx, approval: CallApproval | null, { outcome }: Cut): Promise<Result | undefined> {
  if (approval === null) return undefined;
  const { id, state } = approval;
  if (state === "denied") return { outcome: "denied", output: (await findOutcome(ctx, id)).says };
  if (!UNDECIDED.includes(state) || outcome !== "interrupted") return undefined;
  return { outcome: "aborted", output: (await findOutcome(ctx, id)).says };
}

const NOT_BEGUN: readonly string[] = ["pending", "approved", ...UNDECIDED];
const EFFECT = "It may have had an effect.";

function wordsFor({ outcome, error, by }: Cut, state: CallApproval["state"] | undefined): Result {
  const is_begun = state === undefined || !NOT_BEGUN.includes(state);
  if (outcome === "interrupted") return { outcome, output: is_begun ? WENT_AWAY : WAITS };
  const who = outcome === "aborted" ? `Aborted by ${by ?? "a person"}` : "The turn ended";
  const why = outcome === "failed" && error ? `: ${error}` : ".";
  const output = is_begun ? `${who} before it gave a result${why} ${EFFECT}` : `${who} before it was run${why}`;
  return { outcome: "aborted", output };
}

const WENT_AWAY = "The agent's runtime went away while this ran. It may or may not have had an effect.";
const WAITS = "The agent's runtime went away before this was run. What becomes of it is told later.";

const callsOf = (ctx: TxCtx, { principal_id, id: turn_id }: OfTurn) => ({
  agent_id: principal_id,
  choose: async () => {
    const told = await store.listOfTurn(ctx.tx, { principal_id, turn_id });
    const calls = new Set(told.flatMap(({ type, body }) => (type === "ToolCall" ? JSON.parse(body).call_id : [])));
    // What a program asks before it tells of the call has a name of the turn's.
    return (call_id: string) => calls.has(call_id) || call_id.startsWith(`${formatId(turn_id)}-`);
  },
});

/** What the turn asked, and what its program called of the hub, needs no answer any more, and is never run. */
export async function takeBackOf(ctx: TxCtx, turn: OfTurn): Promise<void> {
  await takeBackCalls(ctx, callsOf(ctx, turn));
  await withdrawCalled(ctx, turn.id);
}

/** The turn is over, and nobody takes a result of it: nothing of it is left open. */
export const settleTurn = (ctx: TxCtx, turn: OfTurn, { outcome, by }: Cut): Promise<void> =>
  settleCalls(
    ctx,
    callsOf(ctx, turn),
    outcome === "aborted" ? `${by ?? "a person"} aborted the turn` : "its turn ended",
  );
