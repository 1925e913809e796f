import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import {
  type AskApproval,
  findApproval,
  findRequested,
  HUB_SERVER,
  type Requested,
  requestApprovalFor,
  ruleOn,
} from "../../approvals/index.ts";
import type { Permit, PermitCall } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { askToStop } from "./stopping.ts";

/** A week: no process lives meanwhile, but other runs of the session wait. */
const EXPIRES_SECONDS = 7 * 24 * 3600;

const IN_A_SUBAGENT =
  "People are asked about this call, and a subagent cannot wait for them. It was not run, and nobody has refused it. Make the call in the main conversation.";
const ONE_AT_A_TIME =
  "Another call of this turn waits for a person to decide. This one was not run, and nobody has refused it. Make it again, by itself, once that one has its result.";
const ANOTHER_RUN =
  "It was approved for a run that ended before it was run. It was not run, and nobody has refused it. Make the call again if it is still needed.";
const UNKNOWN =
  "It was approved, and its program ended while it was being run: nobody knows whether it was. Look before you do it again; to do it again is a new request.";

/**
 * Whether a run's client may make a call: as the policy says, and as people say where that is to ask. What they are asked
 * about is put off, one call at a time; what they approved is given to one attempt of the run that asked, and to no other.
 */
export const permit = (ctx: Ctx, input: PermitCall): Promise<Permit> =>
  transact(ctx, async (ctx) => {
    const row = await ownRun(ctx);
    // Of a session and a call of its model, so that whoever asks again after a restart is told of the same decision.
    const key = `run ${input.client_session_id} ${input.call_id}`;
    const { call_id, server, tool, arguments: given } = input;
    const request: AskApproval = {
      ...{ key, call_id, server, tool, arguments: given, mount: "", covers: "arguments", executes: "client" },
      ...{ editable: true, verdicts: ["approve", "deny_continue", "deny_abort"], hints: [], fence: 0 },
      about: `Run ${formatId(row.id)} of ${row.name} waits for this, and goes on by itself once it is decided.`,
      expires_seconds: EXPIRES_SECONDS,
    };
    const known = await findRequested(ctx, request);
    if (known) return answer(ctx, row, known);
    const ruled = await ruleOn(ctx, { server, tool, arguments: given, executes: "client" });
    if (ruled === "ask" && !input.can_wait) return deny(IN_A_SUBAGENT);
    if (ruled === "ask" && (await isWaiting(ctx, row))) return deny(ONE_AT_A_TIME);
    // As elsewhere, what the policy allows of the hub's own tools leaves no approval.
    if (ruled === "allow" && server === HUB_SERVER) return allow("The policy allows it.");
    return answer(ctx, row, await requestApprovalFor(ctx, request, null));
  });

async function ownRun(ctx: TxCtx): Promise<RunRow> {
  const { run_cause: id } = ctx.actor;
  const row = id === undefined ? undefined : await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id });
  if (row && (row.state === "claimed" || row.state === "running")) return row;
  throw new ParleyError("FORBIDDEN", "Only a program that the hub has started asks this, with the token of its run.");
}

/** Whether its client has put a call off already, in this turn. */
async function isWaiting(ctx: Ctx, { approval_id }: RunRow): Promise<boolean> {
  if (approval_id === null) return false;
  return (await findApproval(ctx, { id: formatId(approval_id) })).state === "pending";
}

async function answer(ctx: TxCtx, row: RunRow, requested: Requested): Promise<Permit> {
  const { state, outcome, says, edited, arguments: given } = requested;
  const approval_id = parseId(requested.id);
  if (state === "pending") {
    if (row.approval_id !== approval_id) await store.saveRun(ctx.tx, { ...row, approval_id, permitted_in: null });
    return { decision: "defer", says, arguments: null };
  }
  if (state !== "answered") {
    if (outcome?.endsWith("deny_abort")) await askToStop(ctx, row, requested.decided_by ?? "policy");
    return deny(says);
  }
  if (outcome === "policy_allow") return allow(says);
  if (row.approval_id !== approval_id) return deny(ANOTHER_RUN);
  if (row.permitted_in !== null && row.permitted_in !== row.attempt) return deny(UNKNOWN);
  await store.saveRun(ctx.tx, { ...row, permitted_in: row.attempt });
  return { ...allow(says), arguments: edited ? given : null };
}

const allow = (says: string): Permit => ({ decision: "allow", says, arguments: null });
const deny = (says: string): Permit => ({ decision: "deny", says, arguments: null });
