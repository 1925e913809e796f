import { type Ctx, type Door, type TxCtx, transact } from "../../../context.ts";
import { unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { formatId } from "../../../ids.ts";
import { people } from "../../identity/index.ts";
import { answer, takeBack } from "../../notices/index.ts";
import type { Approval, DecideApproval, DecidedSeveral, DecideSeveral } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { canonicalArguments, digestOf } from "./canonical.ts";
import { EXPIRE } from "./ending.ts";
import { evaluateOrFail } from "./evaluating.ts";
import { tellDecided } from "./events.ts";
import { checkFit, readSchema } from "./fitting.ts";
import { current, riskOf } from "./policies.ts";
import { callOf, isoNow, outcomeOf, rowOf, wire } from "./wire.ts";

/** A person decides about exactly what was shown. The first decision counts. */
export const decide = (ctx: Ctx, input: DecideApproval): Promise<Approval> =>
  transact(ctx, (ctx) => decideOne(ctx, input));

/** The same decision about several, each by itself: what cannot be decided any more keeps nothing else from it. */
export const decideSeveral = (ctx: Ctx, { approvals, decision, reason }: DecideSeveral): Promise<DecidedSeveral> =>
  transact(ctx, async (ctx) => {
    const outcome: DecidedSeveral = { decided: [], refused: [] };
    for (const { id, digest } of approvals) {
      try {
        if (decision === "approve") await refuseRisky(ctx, id);
        await decideOne(ctx, { id, digest, decision, reason });
        outcome.decided.push(id);
      } catch (error) {
        // What is refused has changed nothing.
        if (!(error instanceof ParleyError)) throw error;
        outcome.refused.push({ id, code: error.code, error: error.message });
      }
    }
    return outcome;
  });

/** What may do harm is looked at by itself. */
async function refuseRisky(ctx: TxCtx, id: string): Promise<void> {
  const risk = await riskOf(ctx, await rowOf(ctx, id));
  if (risk !== "low")
    throw new ParleyError("INVALID_ARGUMENT", `It is of ${risk} risk: it is approved by itself, not with others.`);
}

async function decideOne(ctx: TxCtx, input: DecideApproval): Promise<Approval> {
  const row = await rowOf(ctx, input.id);
  if (row.state !== "pending") throw over(row);
  if (input.digest !== row.digest)
    throw new ParleyError("NOTICE_CHANGED", "What you were shown is not what this asks. Look at it again.");
  checkVerdict(row, input);
  await refuseOwn(ctx, row, input);
  const { edited_arguments, edited_digest } = await edited(ctx, row, input);
  const { principal_id: by } = ctx.actor;
  const { decision } = input;
  const first = decision === "leave" ? takeBack(ctx, row.id, by) : answer(ctx, row.id, { by, choice: decision });
  if (!(await first)) throw over(row);
  const reason = input.reason.trim() || null;
  const decided_via = ctx.door ?? null;
  await store.saveDecision(ctx.tx, { id: row.id, decision, decided_via, reason, edited_arguments, edited_digest });
  if (row.expires_at) await unplan(ctx, { kind: EXPIRE, ref: row.id });
  const decided = await rowOf(ctx, input.id);
  await tellDecided(ctx, decided, outcomeOf(decided));
  await hit("approval.after_decide");
  return { ...wire(decided), risk: null };
}

/** Who called it approves it only where nobody else could. To deny one's own is to take it back. */
async function refuseOwn(ctx: TxCtx, { called_by }: StatedApprovalRow, { decision }: DecideApproval): Promise<void> {
  if (called_by !== ctx.actor.principal_id || decision !== "approve") return;
  const [other] = (await people(ctx)).filter(({ principal_id }) => principal_id !== called_by);
  if (other)
    throw new ParleyError("FORBIDDEN", `You called it yourself: somebody else approves it, such as ${other.name}.`);
}

function checkVerdict(row: StatedApprovalRow, { decision, edited_arguments }: DecideApproval): void {
  const { verdicts, editable } = wire(row);
  if (!verdicts.includes(decision))
    throw new ParleyError("INVALID_ARGUMENT", `This is answered with one of ${verdicts.join(", ")}.`);
  if (edited_arguments === undefined) return;
  if (decision !== "approve")
    throw new ParleyError("INVALID_ARGUMENT", "edited_arguments: only what is approved can be run with others.");
  if (!editable)
    throw new ParleyError("INVALID_ARGUMENT", "edited_arguments: its own program runs it, and takes no others.");
}

const UNEDITED = { edited_arguments: null, edited_digest: null };

/** Other arguments are a call of their own: what the policy denies, or the tool does not take, nobody can approve. */
async function edited(ctx: TxCtx, row: StatedApprovalRow, { edited_arguments: given }: DecideApproval) {
  if (given === undefined) return UNEDITED;
  const { value, text } = canonicalArguments(given);
  if (text === row.arguments) return UNEDITED;
  checkSchema(row, value);
  const { agent, mount, server, tool } = row;
  const call = { ...callOf(row), arguments: value };
  const { decision, reason } = evaluateOrFail((await current(ctx)).policy, call, isoNow(ctx));
  if (decision === "failed")
    throw new ParleyError("FORBIDDEN", "The policy cannot say whether it denies these arguments. Look at it first.");
  if (decision === "deny_continue" || decision === "deny_abort")
    throw new ParleyError("FORBIDDEN", `The policy denies these arguments${reason ? `: ${reason}` : "."}`);
  return {
    edited_arguments: text,
    edited_digest: digestOf({ space: ctx.tx.space_id, agent, mount, server, tool, arguments: value }),
  };
}

function checkSchema({ input_schema, tool }: StatedApprovalRow, value: unknown): void {
  if (input_schema === null) return;
  const schema = readSchema(JSON.parse(input_schema));
  if (!schema)
    throw new ParleyError(
      "INVALID_ARGUMENT",
      "edited_arguments: the tool's schema cannot be read, so nobody can check them.",
    );
  checkFit(schema, tool, value);
}

const ENDS: Partial<Record<StatedApprovalRow["state"], string>> = {
  expired: "has expired",
  withdrawn: "was taken back",
  superseded: "was replaced by a newer one",
};

const WHERE: Record<Door, string> = {
  page: "on the page",
  cli: "at a terminal",
  mcp: "by MCP",
  http: "by HTTP",
  internal: "in the hub",
};

/** For people who come late: who was first, when, where and with what. */
function over(row: StatedApprovalRow): ParleyError {
  const { id, state, decided_by, decided_at, decided_via, outcome } = wire(row);
  const details = { id, state, outcome, decided_by, decided_at, decided_via };
  const end = ENDS[state];
  if (end) return new ParleyError("NOTICE_CLOSED", `This request ${end}: it can no longer be decided.`, { details });
  const how = state === "denied" ? "denied" : "allowed";
  const where = decided_via === null ? "" : `, ${WHERE[decided_via]}`;
  const who = decided_by ?? formatId(row.id);
  return new ParleyError("ALREADY_DECIDED", `${who} has ${how} it already${where}.`, { details });
}
