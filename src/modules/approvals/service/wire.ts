import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import { pendingUntil } from "../../notices/index.ts";
import type { Approval, Hint, Outcome, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import type { Call } from "./evaluating.ts";

/** The tools by which people decide. */
export const DECIDED_WITH = "approval_decide";
export const PROPOSALS_DECIDED_WITH = "policy_decide";

const CODES: Partial<Record<Outcome, number>> = {
  policy_deny_abort: -32950,
  user_deny_abort: -32950,
  policy_deny_continue: -32951,
  user_deny_continue: -32951,
  policy_failed: -32953,
};

export const isoNow = (ctx: Ctx): string => new Date(ctx.now()).toISOString();

export function outcomeOf({ ruled, decision }: StatedApprovalRow): Outcome | null {
  if (ruled === "failed") return "policy_failed";
  if (ruled !== "ask") return `policy_${ruled}`;
  return decision === null || decision === "leave" ? null : `user_${decision}`;
}

const deciderOf = (row: StatedApprovalRow): string | null =>
  row.ruled === "ask" ? (row.decision === null ? null : row.settled_by_name) : "policy";

type Asked = Pick<
  StatedApprovalRow,
  "agent" | "server" | "mount" | "tool" | "arguments" | "covers" | "hints" | "executes"
>;

const hintsOf = ({ hints }: Pick<Asked, "hints">): Hint[] => (hints === null ? [] : JSON.parse(hints));

/** As the policy looks at it. */
export function callOf(row: Asked): Call {
  const { agent, server, mount, tool, covers, executes } = row;
  return { agent, server, mount, tool, covers, executes, arguments: JSON.parse(row.arguments), hints: hintsOf(row) };
}

/** All but its risk, which is the policy's of the moment. */
export function wire(row: StatedApprovalRow): Omit<Approval, "risk"> {
  const { id, digest, state, agent, server, mount, tool, covers, executes, about, call_id, expires_at, ruled } = row;
  const { policy_version, decided_via, reason, edited_digest, executing_at, ended_at } = row;
  const requested_at = timeOfId(id);
  const decided_by = deciderOf(row);
  return {
    ...{ id: formatId(id), digest, state, agent, called_by: row.called_by_name, server, mount, tool },
    arguments: JSON.parse(row.arguments),
    ...{ covers, executes, editable: row.editable === 1, verdicts: JSON.parse(row.verdicts), about },
    ...{ hints: hintsOf(row), call_id },
    ...{ requested_at, expires_at, ruled, policy_version, outcome: outcomeOf(row), decided_by },
    decided_at: decided_by === null ? null : (row.settled_at ?? requested_at),
    ...{ decided_via, reason },
    edited_arguments: row.edited_arguments === null ? null : JSON.parse(row.edited_arguments),
    ...{ edited_digest, executing_at, ended_at, output: null },
  };
}

export async function requestedOf(ctx: Ctx, row: StatedApprovalRow): Promise<Requested> {
  const { id, call_id, server, mount, tool, executes, state, reason, holder } = row;
  const outcome = outcomeOf(row);
  return {
    id: formatId(id),
    ...{ call_id, server, mount, tool, executes },
    digest: row.edited_digest ?? row.digest,
    ...{ state, outcome, code: (outcome && CODES[outcome]) ?? null, says: saysOf(row) },
    arguments: JSON.parse(row.edited_arguments ?? row.arguments),
    edited: row.edited_arguments !== null,
    ...{ reason, decided_by: deciderOf(row), holder, called_by: row.called_by_name },
    pending_until: state === "pending" ? await pendingUntil(ctx, id) : null,
  };
}

/** What the model is told. An end that no person chose is never called a refusal. */
function saysOf(row: StatedApprovalRow): string {
  const { state, ruled, reason, edited_arguments } = row;
  const by = row.settled_by_name ?? "somebody";
  const why = reason ? `: ${reason}` : ".";
  switch (state) {
    case "pending":
      return "It waits for a person to decide.";
    case "expired":
      return "Nobody decided in time. It was not run, and nobody has refused it.";
    case "withdrawn":
      return row.decision === "leave"
        ? `${by} has left it to its own terminal.`
        : `It was taken back before ${row.decision === null ? "anybody decided" : "it was run"}. It was not run, and nobody has refused it.`;
    case "superseded":
      return "A newer request has taken its place. It was not run, and nobody has refused it.";
    case "unknown":
      return "It was cut off while it was being run: nobody knows whether it was. To run it again is a new request.";
    case "denied":
      if (ruled === "failed") return "The policy could not be evaluated, so it was not run.";
      return ruled === "ask" ? `${by} denied it${why}` : `The policy denies it${why}`;
    default:
      if (ruled !== "ask") return "The policy allows it.";
      return edited_arguments === null ? `${by} approved it${why}` : `${by} approved it with other arguments${why}`;
  }
}

export async function findRow(ctx: Ctx, id: number): Promise<StatedApprovalRow | undefined> {
  return store.findApproval(ctx.db, { space_id: ctx.actor.space_id, now: isoNow(ctx), id });
}

export async function rowOf(ctx: Ctx, id: string): Promise<StatedApprovalRow> {
  const row = await findRow(ctx, parseId(id));
  if (!row) throw noSuchApproval(id);
  return row;
}

/** To an agent that did not ask, it does not exist. */
export async function ownRow(ctx: Ctx, id: string): Promise<StatedApprovalRow> {
  const { principal_id } = await self(ctx);
  const row = await findRow(ctx, parseId(id));
  if (row?.agent_id !== principal_id) throw noSuchApproval(id);
  return row;
}

const noSuchApproval = (id: string): ParleyError =>
  new ParleyError("APPROVAL_NOT_FOUND", `There is no approval ${id} here. approval_list shows what there is.`);
