import type { Ctx, TxCtx } from "../../../context.ts";
import { formatId, parseId } from "../../../ids.ts";
import { finishCall, letThrough } from "../../approvals/index.ts";
import { noteDoing } from "../../identity/index.ts";
import type { NewEvent, Record, Recorded } from "../schema.ts";
import * as store from "../store.ts";
import { pauseOverBudget } from "./budgets.ts";
import { contentKind } from "./entries.ts";
import { asRuntime } from "./fencing.ts";
import { log, type NewEntry } from "./logging.ts";
import { beginTurn, endTurn, type Held, noteAnswer, openTurn } from "./turns.ts";

/** What a runtime tells of its turn. Each key counts once: the same call again gives the same ids and changes nothing. */
export function record(ctx: Ctx, { turn_id, run_phase, events, ...whose }: Record): Promise<Recorded> {
  return asRuntime(ctx, whose, async (ctx, held) => {
    const ids: string[] = [];
    let turn = turn_id === undefined ? undefined : parseId(turn_id);
    for (const event of events) {
      const known = await store.findEventByKey(ctx.tx, { principal_id: held.row.principal_id, key: event.key });
      const id = known ?? (await append(ctx, held, { turn, event }));
      if (event.type === "TurnStarted") turn = id;
      ids.push(formatId(id));
    }
    if (events.some(costs)) await pauseOverBudget(ctx, held);
    if (run_phase !== undefined && run_phase !== held.agent.run_phase && isDoing(held, { turn, run_phase }))
      await noteDoing(ctx, held.agent, { run_phase });
    const calls = events.filter((event) => event.type === "ToolCall");
    return { ids, allowed: await letThrough(ctx, held.agent.name, calls) };
  });
}

/** What comes late of a turn that is over is nothing that the agent does now. */
const isDoing = (
  { row }: Held,
  { turn, run_phase }: { turn: number | undefined } & Pick<Record, "run_phase">,
): boolean => (row.turn_id === null ? run_phase === "idle" : turn === row.turn_id);

type Answer = Extract<NewEvent, { type: "ModelText" | "ToolCall" }>;
const isAnswer = (event: NewEvent): event is Answer => event.type === "ModelText" || event.type === "ToolCall";

/** Before the model is asked again it is looked whether it may be: others use the same budgets. */
const costs = (event: NewEvent): boolean => isAnswer(event) || event.type === "TurnEnded";

async function append(
  ctx: TxCtx,
  held: Held,
  { turn: turn_id, event }: { turn: number | undefined; event: NewEvent },
): Promise<number> {
  if (event.type === "TurnStarted") return beginTurn(ctx, held, event.key);
  if (event.type === "TurnEnded") return endTurn(ctx, held, await openTurn(ctx, held, turn_id), event);
  if (isAnswer(event)) await noteAnswer(ctx, held, await openTurn(ctx, held, turn_id), event);
  if (event.type === "ToolOutput") await endApproval(ctx, held, event);
  const [id = 0] = await log(ctx, held.agent, [entryOf(event, turn_id ?? null)]);
  return id;
}

/** In one transaction with its result: neither is ever there without the other. */
async function endApproval(ctx: TxCtx, { row }: Held, { approval_id, outcome }: ToolOutput): Promise<void> {
  if (approval_id === undefined) return;
  const { principal_id: agent_id, fence } = row;
  const ended = { id: parseId(approval_id), agent_id, fence };
  await finishCall(ctx, { ...ended, outcome: outcome === "done" ? "completed" : "failed" });
}

type ToolOutput = Extract<NewEvent, { type: "ToolOutput" }>;

function entryOf(event: Exclude<NewEvent, { type: "TurnStarted" | "TurnEnded" }>, turn_id: number | null): NewEntry {
  if (event.type === "ToolCall") return { ...event, turn_id, content_kind: contentKind(event.arguments) };
  if (event.type !== "ToolOutput") return { ...event, turn_id };
  const { approval_id: _, ...output } = event;
  return { ...output, turn_id };
}
