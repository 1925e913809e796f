/**
 * The calls of programs that Parley runs for an agent, which have the hub's tools by a token and need not ask anybody: the
 * hub asks for them. What the policy allows costs no more than a look at it. What people decide counts for exactly the call
 * that they were shown, once, and is used up in the transaction that makes it.
 */
import { type Actor, type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { credentialCause, type FeedEvent } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { Permit, PlannedCall } from "../../../module.ts";
import type { AskApproval, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { requestFor } from "./asking.ts";
import { HUB_SERVER } from "./built-in.ts";
import { canonicalArguments, digestOf } from "./canonical.ts";
import { checkDigest } from "./claiming.ts";
import { evaluateOrFail } from "./evaluating.ts";
import { isDenial, tellEnded } from "./events.ts";
import { current } from "./policies.ts";
import { takeBackCall } from "./settling.ts";
import { findRow, isoNow, requestedOf } from "./wire.ts";

/** A week, as what a run has put off: nothing is kept running meanwhile. */
const EXPIRES_SECONDS = 7 * 24 * 3600;

/** Lets a call of such a program through or throws what it is told. What is to be used up comes back. */
export async function guard(outer: Ctx, call: PlannedCall): Promise<Permit | undefined> {
  if (!outer.actor.governed) return undefined;
  const ctx = asProgram(outer);
  const { policy } = await current(ctx);
  const { tool, arguments: given } = call;
  const asked = {
    agent: ctx.actor.name,
    server: HUB_SERVER,
    tool,
    arguments: given,
    hints: [],
    executes: "hub" as const,
  };
  const { decision } = evaluateOrFail(policy, asked, isoNow(ctx));
  if (decision === "allow") return undefined;
  const known = decision === "ask" ? await findKnown(ctx, call) : undefined;
  // Whoever asks again and again while nobody has decided changes nothing.
  const answer =
    known?.state === "pending" ? await requestedOf(ctx, known) : await settle(ctx, call, decision === "ask");
  if (answer.state === "approved" || answer.state === "answered") return useUp(parseId(answer.id));
  throw refusal(call, answer);
}

/** By itself: whomever an orchestrator acts for, and whatever it says has led to it, the program is whose token it is. */
function asProgram(ctx: Ctx): Ctx {
  const { caller_agent: _, ...actor }: Actor = ctx.actor;
  return { ...ctx, actor, cause: credentialCause(actor) };
}

/** What was decided about this call, of which its program is told now, or a new request. */
const settle = (ctx: Ctx, call: PlannedCall, is_asked: boolean): Promise<Requested> =>
  transact(ctx, async (ctx) => {
    const known = is_asked ? await findKnown(ctx, call) : undefined;
    if (!known) return requestFor(ctx, requestOf(ctx, call), null);
    const answer = await requestedOf(ctx, known);
    const is_over = known.state !== "pending" && known.state !== "approved" && known.state !== "answered";
    // It is told once: whoever makes the same call after that asks anew.
    if (is_over) await store.takeApproval(ctx.tx, { id: known.id, now: isoNow(ctx) });
    return answer;
  });

/** What people were asked about this very call: by the hub at any time, by its client in the turn or run that it is in. */
async function findKnown(ctx: Ctx, { tool, arguments: given }: PlannedCall): Promise<StatedApprovalRow | undefined> {
  const { space_id, principal_id: agent_id, name: agent, run_cause: after_id = 0 } = ctx.actor;
  const { value } = canonicalArguments(given);
  const digest = digestOf({ space: space_id, agent, mount: "", server: HUB_SERVER, tool, arguments: value });
  const where = { space_id, now: isoNow(ctx), agent_id, digest };
  const allowed = await store.findAllowedToClient(ctx.db, { ...where, after_id });
  return allowed ?? store.findAskedByHub(ctx.db, where);
}

function requestOf(ctx: TxCtx, { tool, arguments: given }: PlannedCall): AskApproval {
  const key = `call ${ctx.tx.takeId()}`;
  return {
    ...{ key, call_id: key, server: HUB_SERVER, mount: "", tool, arguments: given, covers: "arguments" },
    // Its program is told what came of what it called, and has no place for what somebody else had called.
    ...{ executes: "hub", editable: false, verdicts: ["approve", "deny_continue", "deny_abort"], about: "", hints: [] },
    ...{ expires_seconds: EXPIRES_SECONDS, fence: 0 },
  };
}

const useUp =
  (id: number): Permit =>
  async (ctx) => {
    const row = await findRow(ctx, id);
    const now = isoNow(ctx);
    // Between the look and the call somebody else may have used it up, or have taken it back.
    const is_let = row?.state === "approved" || row?.state === "answered";
    if (!is_let || !(await store.takeApproval(ctx.tx, { id, now })))
      throw new ParleyError(
        "APPROVAL_STATE",
        `Approval ${formatId(id)} was used by another call, or taken back: to call again asks anew.`,
      );
    checkDigest(ctx, row);
    if (row.executes !== "hub") return;
    await store.noteMade(ctx.tx, { id, now });
    await tellEnded(ctx, { ...row, state: "completed" });
  };

function refusal({ tool }: PlannedCall, { id: approval_id, state, code: policy_code, says }: Requested): ParleyError {
  const facts = { approval_id, state };
  if (state === "denied") return new ParleyError("CALL_DENIED", says, { details: { ...facts, policy_code } });
  if (state === "pending")
    return new ParleyError(
      "APPROVAL_PENDING",
      `${tool} was not run: a person has to approve this call first. Call it again with exactly the same arguments once that is done; with others it is another call. Go on without it or end your turn meanwhile.`,
      { details: facts },
    );
  return new ParleyError("NOTICE_CLOSED", says, { details: facts });
}

/** A person has ended a turn or a run: what its program had called needs nobody any more, and is never made. */
export async function withdrawCalled(ctx: TxCtx, cause: number): Promise<void> {
  const where = { space_id: ctx.tx.space_id, now: isoNow(ctx), cause };
  for (const row of await store.listOpenByHub(ctx.tx, where)) await takeBackCall(ctx, row);
}

interface Ended {
  /** The turn or the run, by its id. */
  cause: number;
  agent: string;
  tool: string;
  by: string;
  says: string;
}

/** What ends because a call of its program was denied so; undefined where nothing does. */
export async function endedBy(ctx: Ctx, event: FeedEvent): Promise<Ended | undefined> {
  const row = isDenial(event) ? await findRow(ctx, event.ref ?? event.id) : undefined;
  if (row?.executes !== "hub" || row.cause === null) return undefined;
  const { outcome, decided_by, says } = await requestedOf(ctx, row);
  if (!outcome?.endsWith("deny_abort")) return undefined;
  return { cause: row.cause, agent: row.agent, tool: row.tool, by: decided_by ?? "policy", says };
}
