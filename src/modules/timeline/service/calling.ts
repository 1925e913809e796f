/**
 * What people call of the servers that an agent's runtime has mounted. Only the runtime knows those, so the call is stored
 * until it is taken: by one runtime, once, and soon or never. From there on it is an approval like any other.
 */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import { cut } from "../../../text.ts";
import type { Waiter } from "../../../waiting.ts";
import { APPROVALS_TOPIC, canonicalArguments, findOutcome } from "../../approvals/index.ts";
import type { AgentRow } from "../../identity/index.ts";
import type { CallServer, ServerCalled } from "../schema.ts";
import * as store from "../store.ts";
import type { CallRow, RuntimeRow } from "../tables.ts";
import { CONTROL, tellChange } from "./events.ts";
import { findRuntimeOf } from "./fencing.ts";
import { agentNamed, isLive } from "./status.ts";
import { isoAt, isoNow } from "./wire.ts";

/** A runtime that is there takes what is called at once. */
const TAKE_MS = 30_000;
const MOST_WAITING = 20;
const MOST_SHOWN = 300;

/** Calls it, and waits for what comes of it. With the same key it is the same call, whoever has waited for it before. */
export async function callServer(ctx: Ctx, input: CallServer): Promise<ServerCalled> {
  const agent = await agentNamed(ctx, input.agent);
  const { principal_id: stream } = agent;
  const wait_ms = input.wait_seconds * 1000;
  const deadline = performance.now() + wait_ms;
  using waiter =
    wait_ms > 0 ? await ctx.wait?.({ topic: APPROVALS_TOPIC, stream }, { topic: CONTROL, stream }) : undefined;
  const id = await asked(ctx, agent, input);
  // Awaited here: the wait is over when this function is.
  return await untilOver(ctx, { id, agent: agent.name, deadline, waiter });
}

interface Awaited {
  id: number;
  agent: string;
  deadline: number;
  waiter: Waiter | undefined;
}

async function untilOver(ctx: Ctx, { id, agent, deadline, waiter }: Awaited): Promise<ServerCalled> {
  for (let before: string | undefined; ; ) {
    // It was stored.
    const row = (await store.findCall(ctx.db, { space_id: ctx.actor.space_id, id })) as CallRow;
    const seen = await stateOf(ctx, row, agent);
    const left = deadline - performance.now();
    if (!waiter || seen.state === "completed" || left <= 0) return seen;
    const lapses = seen.state === "waiting" ? Date.parse(row.expires_at) - ctx.now() : left;
    const woken = await waiter.next(Math.max(1, Math.min(left, lapses)));
    // Its time may be over with nothing else having happened.
    if (woken === "stopping" || (woken === "time" && seen.state === before)) return seen;
    before = woken === "time" ? seen.state : undefined;
  }
}

/** Stores it; or finds what the same key stood for before. */
const asked = (ctx: Ctx, agent: AgentRow, input: CallServer): Promise<number> =>
  transact(ctx, async (ctx) => {
    const { server, tool, key } = input;
    const { text } = canonicalArguments(input.arguments);
    const called = { agent_id: agent.principal_id, server, tool, arguments: text };
    const whose = { space_id: ctx.tx.space_id, called_by: ctx.actor.principal_id, key };
    const known = await store.findCallByKey(ctx.tx, whose);
    if (known) return sameCall(known, called);
    refuseAway(ctx, agent, await findRuntimeOf(ctx, agent));
    await refuseMany(ctx, agent);
    const id = await tellChange(ctx, agent, "called");
    await store.insertCall(ctx.tx, {
      ...{ ...called, id, called_by: whose.called_by, key, state: "waiting" },
      ...{ expires_at: isoAt(ctx.now() + TAKE_MS), approval_id: null, code: null, error: null },
      ...toColumns(ctx.cause),
    });
    return id;
  });

type Called = Pick<CallRow, "agent_id" | "server" | "tool" | "arguments">;

function sameCall(known: CallRow, called: Called): number {
  const { agent_id, server, tool, arguments: args } = called;
  const is_same =
    known.agent_id === agent_id && known.server === server && known.tool === tool && known.arguments === args;
  if (is_same) return known.id;
  throw new ParleyError("IDEMPOTENCY_CONFLICT", "This key was used for another call. Each call has a key of its own.");
}

/** Of an agent that nobody runs, and of one that may use no tools, nothing can be called. */
function refuseAway(ctx: Ctx, { name }: AgentRow, row: RuntimeRow | undefined): void {
  if (!row || !isLive(ctx, row))
    throw new ParleyError("RUNTIME_AWAY", `No runtime of ${name} is running, so it has no servers. Nothing was run.`);
  if (row.tools_off_at !== null) throw toolsOff(name);
}

export const toolsOff = (name: string): ParleyError =>
  new ParleyError("CONFLICT", `The tools of ${name} are off: agent_tools lets it use them. Nothing was run.`);

async function refuseMany(ctx: TxCtx, { principal_id: agent_id, name }: AgentRow): Promise<void> {
  const where = { space_id: ctx.tx.space_id, agent_id, now: isoNow(ctx), limit: MOST_WAITING };
  if ((await store.listWaitingCalls(ctx.tx, where)).length < MOST_WAITING) return;
  throw new ParleyError("TOO_MANY_WAITS", `${MOST_WAITING} calls wait for the runtime of ${name} already.`);
}

/** How it is. Throws for what is over and was not run, or failed. */
async function stateOf(ctx: Ctx, row: CallRow, agent: string): Promise<ServerCalled> {
  const { id, server, tool, approval_id } = row;
  if (row.state === "refused")
    throw new ParleyError(row.code ?? "CONFLICT", row.error ?? "It was refused. Nothing was run.");
  if (row.state === "lapsed" || (await lapses(ctx, row)))
    throw new ParleyError("RUNTIME_AWAY", `The runtime of ${agent} did not take it in time. Nothing was run.`);
  const call = { id: formatId(id), agent, server, tool };
  if (approval_id !== null) return { ...call, ...(await outcomeOf(ctx, row, formatId(approval_id))) };
  const says = `The runtime of ${agent} has not taken it yet.`;
  return { ...call, state: "waiting", approval_id: null, says, edited: false, output: null };
}

/** Whether nobody takes it any more. Who looks is the one that ends it, so that nobody takes it after that. */
async function lapses(ctx: Ctx, { id, state, expires_at }: CallRow): Promise<boolean> {
  if (state !== "waiting" || expires_at > isoNow(ctx)) return false;
  const over = { id, state: "lapsed", approval_id: null, code: null, error: null } as const;
  return transact(ctx, (ctx) => store.endWaitingCall(ctx.tx, over));
}

type Outcome = Pick<ServerCalled, "state" | "approval_id" | "says" | "edited" | "output">;

async function outcomeOf(ctx: Ctx, { server, tool }: CallRow, approval_id: string): Promise<Outcome> {
  const found = await findOutcome(ctx, approval_id);
  const { state, says, code: policy_code, outcome, decided_by, reason, edited, output } = found;
  const facts = { approval_id, state, outcome, decided_by, reason };
  switch (state) {
    case "pending":
    case "approved":
    case "executing":
    case "completed":
      return { state, approval_id, says, edited, output };
    case "denied":
      throw new ParleyError("CALL_DENIED", says, { details: { ...facts, policy_code } });
    case "failed":
      throw new ParleyError("TOOL_FAILED", `${tool} of ${server} failed: ${cut(output ?? "", MOST_SHOWN)}`, {
        details: { ...facts, edited, output },
      });
    case "unknown":
      throw new ParleyError("CALL_UNKNOWN", says, { details: facts });
    default:
      throw new ParleyError("NOTICE_CLOSED", says, { details: facts });
  }
}
