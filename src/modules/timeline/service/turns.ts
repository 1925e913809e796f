import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { withdrawCalled } from "../../approvals/index.ts";
import { type AgentRow, setTokenCause } from "../../identity/index.ts";
import type { Outcome, Used } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow, TurnRow } from "../tables.ts";
import { chargeUsed, pauseOverBudget, usedIn, withUsed } from "./budgets.ts";
import { log } from "./logging.ts";
import { lostResults, settleTurn } from "./lost.ts";
import { pauseOverQuota } from "./quotas.ts";
import { statusOf } from "./reduce.ts";
import { isoNow } from "./wire.ts";

/** Whose turn it is: `row` is what is stored once the transaction is through, and is changed as it goes on. */
export interface Held {
  agent: AgentRow;
  row: RuntimeRow;
}

export interface Ending extends Used {
  key: string;
  outcome: Outcome;
  seen_id?: string | null;
  error?: string | undefined;
}

/** What an entry says of the answer that it is part of. */
interface Answered extends Used {
  seen_id: string | null;
}

/** One at a time: what led to it is the newest message that no turn has taken. */
export async function beginTurn(ctx: TxCtx, { agent, row }: Held, key: string): Promise<number> {
  if (row.turn_id !== null)
    throw new ParleyError("CONFLICT", `${agent.name} has a turn already, ${formatId(row.turn_id)}. It ends first.`);
  const cause = await causeOf(ctx, row);
  const [id = 0] = await log({ ...ctx, cause }, agent, [{ type: "TurnStarted", key, turn_id: null }]);
  row.turn_id = id;
  if (row.token_id !== null) await setTokenCause(ctx, row.token_id, id);
  await pauseOverBudget(ctx, { agent, row });
  await pauseOverQuota(ctx, { agent, row });
  await store.saveTurn(ctx.tx, {
    ...{ id, principal_id: row.principal_id, fence: row.fence, status: "starting", outcome: null, error: null },
    ...{ ended_at: null, cost_micros: null, input_tokens: null, output_tokens: null },
    ...toColumns(cause),
  });
  return id;
}

async function causeOf(ctx: TxCtx, { principal_id, taken_id }: RuntimeRow): Promise<TxCtx["cause"]> {
  const where = { space_id: ctx.tx.space_id, principal_id };
  const waiting = await store.listInputSizes(ctx.tx, { ...where, after_id: taken_id, limit: 100 });
  const newest = waiting.at(-1);
  if (!newest) return undefined;
  const [input] = await store.listInputs(ctx.tx, { ...where, first_id: newest.id, last_id: newest.id });
  const { chat_id = newest.id }: { chat_id?: number } = input ? JSON.parse(input.body) : {};
  return { id: chat_id, how: "reaction" };
}

/** The turn that runs, for what only such a one may do. */
export async function openTurn(ctx: TxCtx, { agent, row }: Held, id: number | undefined): Promise<TurnRow> {
  const turn = id === undefined ? undefined : await store.findTurn(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (turn?.principal_id === row.principal_id && turn.ended_at === null) return turn;
  throw new ParleyError("TURN_OVER", `${agent.name} has no such turn, or it is over.`);
}

/** The model has answered: what it was given is taken, and paid for. What came while it thought is not. */
export async function noteAnswer(ctx: TxCtx, held: Held, turn: TurnRow, answered: Answered): Promise<void> {
  const { row } = held;
  row.taken_id = Math.max(row.taken_id, Number(answered.seen_id ?? 0));
  const status = turn.status === "starting" ? "running" : turn.status;
  const now = { ...turn, ...withUsed(turn, answered), status } as const;
  // Of most entries nothing of this is new.
  if (JSON.stringify(now) !== JSON.stringify(turn)) await store.saveTurn(ctx.tx, now);
  await chargeUsed(ctx, held, answered);
}

/**
 * Ends the turn. What was called in it and never gave a result gets one that says so. One that was given up by the model itself has finished, whatever became of its runtime after that.
 */
export async function endTurn(ctx: TxCtx, { agent, row }: Held, turn: TurnRow, ending: Ending): Promise<number> {
  const { principal_id } = row;
  const told = await store.listOfTurn(ctx.tx, { principal_id, turn_id: turn.id });
  const has_yielded = told.some(({ type }) => type === "Yielded");
  const outcome = has_yielded && ending.outcome === "interrupted" ? "finished" : ending.outcome;
  const { key, error } = ending;
  const cut = { outcome, error, by: row.abort_by };
  const missing = await lostResults(ctx, turn, told, cut);
  const used = withUsed(turn, ending);
  const ended = { type: "TurnEnded", key, turn_id: turn.id, outcome, error, ...usedIn(used) } as const;
  const ids = await log(ctx, agent, [...missing, ended]);
  await store.saveTurn(ctx.tx, {
    ...{ ...turn, ...used },
    ...{ status: statusOf(outcome), outcome, error: error ?? null, ended_at: isoNow(ctx) },
  });
  // What an interrupted turn asked stays: the next runtime sees to it.
  if (outcome !== "interrupted") await settleTurn(ctx, turn, cut);
  if (outcome === "aborted") await withdrawCalled(ctx, turn.id);
  Object.assign(row, { turn_id: null, abort_turn_id: null, abort_by: null });
  await chargeUsed(ctx, { agent, row }, ending);
  // What an interrupted turn was begun for and no model has answered begins another one; so does what came after.
  if (outcome !== "interrupted") row.taken_id = Math.max(row.taken_id, Number(ending.seen_id ?? 0));
  return ids.at(-1) ?? turn.id;
}
