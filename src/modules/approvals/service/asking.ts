import { AGENTS, type Ctx, has, type TxCtx, transact } from "../../../context.ts";
import { plan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { toColumns } from "../../../feed/index.ts";
import { parseId } from "../../../ids.ts";
import { type HolderRow, heartbeat, ownHolder } from "../../identity/index.ts";
import { raise } from "../../notices/index.ts";
import type { AskApproval, RequestApproval, Requested } from "../schema.ts";
import * as store from "../store.ts";
import type { ApprovalRow, StatedApprovalRow } from "../tables.ts";
import { HUB_SERVER } from "./built-in.ts";
import { canonicalArguments, digestOf } from "./canonical.ts";
import { refuseOlder } from "./claiming.ts";
import { EXPIRE, supersedeEarlier } from "./ending.ts";
import { evaluateOrFail, type RuledOrFailed } from "./evaluating.ts";
import { tellRequested, tellRuled } from "./events.ts";
import { current } from "./policies.ts";
import { DECIDED_WITH, findRow, isoNow, requestedOf } from "./wire.ts";
import { cardOf } from "./words.ts";

/** As many as one agent may have people decide at a time: more are not read, they are noise. */
const MOST_OPEN = 20;

/** Says what the policy says of a call, and asks people where that is `ask`. The same again is the same request. */
export async function request(ctx: Ctx, input: RequestApproval): Promise<Requested> {
  // With the token by which it would make the call, a program could show people another one.
  if (ctx.actor.governed && input.server === HUB_SERVER)
    throw new ParleyError("FORBIDDEN", "Call the tool itself: the hub asks people about it where the policy says so.");
  return requestFor(ctx, input, null);
}

/** The same for what a person calls of the agent's servers: who that is, is never what a runtime says. */
export const requestFor = (ctx: Ctx, input: AskApproval, caller: Caller | null): Promise<Requested> =>
  transact(ctx, async (ctx) => {
    const agent = await ownHolder(ctx);
    if (has(ctx.actor, ...AGENTS)) await heartbeat(ctx);
    const { value, text } = canonicalArguments(input.arguments);
    const { mount, server, tool } = input;
    const action = { space: ctx.tx.space_id, agent: agent.name, mount, server, tool, arguments: value };
    const digest = digestOf(action);
    const where = { space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id: agent.principal_id };
    const called_by = caller?.principal_id ?? null;
    const known = await store.findByKey(ctx.tx, { ...where, key: input.key });
    if (known) return requestedOf(ctx, sameCall(known, { digest, called_by }));
    if (input.holder !== undefined) await refuseOlder(ctx, agent.principal_id, input.fence);
    const { version, policy } = await current(ctx);
    const ruled = evaluateOrFail(
      policy,
      { ...action, covers: input.covers, hints: input.hints, executes: input.executes },
      where.now,
    );
    const row = { ...rowOf(ctx, { input, agent, text, digest, version, ruled }), called_by };
    const id = ruled.decision === "ask" ? await ask(ctx, { row, agent, input, caller }) : await rule(ctx, row, agent);
    // It was inserted in this transaction.
    return requestedOf(ctx, (await findRow(ctx, id)) as StatedApprovalRow);
  });

type Caller = Pick<HolderRow, "principal_id" | "name">;

type KeyedCall = Pick<AskApproval, "key" | "mount" | "server" | "tool" | "arguments">;

/** What became of this call, which was asked about with its key; undefined where nothing was. */
export async function findRequested(ctx: Ctx, { key, ...call }: KeyedCall): Promise<Requested | undefined> {
  const { principal_id: agent_id, name: agent } = await ownHolder(ctx);
  const { space_id } = ctx.actor;
  const row = await store.findByKey(ctx.db, { space_id, now: isoNow(ctx), agent_id, key });
  if (!row) return undefined;
  const { value } = canonicalArguments(call.arguments);
  const digest = digestOf({ ...call, space: space_id, agent, arguments: value });
  return requestedOf(ctx, sameCall(row, { digest, called_by: null }));
}

function sameCall(known: StatedApprovalRow, { digest, called_by }: Pick<ApprovalRow, "digest" | "called_by">) {
  if (known.digest === digest && known.called_by === called_by) return known;
  throw new ParleyError("CONFLICT", `The key ${known.key} was used for another call. Each call has a key of its own.`);
}

interface Made {
  input: AskApproval;
  agent: HolderRow;
  text: string;
  digest: string;
  version: number;
  ruled: RuledOrFailed;
}

function rowOf(ctx: TxCtx, { input, agent, text, digest, version, ruled }: Made): Omit<NewRow, "called_by"> {
  const { key, call_id, server, mount, tool, covers, executes, about, input_schema, fence } = input;
  const holder = ruled.decision === "allow" && executes === "runtime" ? (input.holder ?? null) : null;
  return {
    ...{ agent_id: agent.principal_id, key, call_id, server, mount, tool, arguments: text, digest, covers, executes },
    ...{ editable: input.editable && covers === "arguments" ? 1 : 0, verdicts: JSON.stringify(input.verdicts), about },
    hints: input.hints.length === 0 ? null : JSON.stringify([...new Set(input.hints)]),
    input_schema: input_schema === undefined ? null : JSON.stringify(input_schema),
    ...{ policy_version: version, ruled: ruled.decision, decision: null, decided_via: null, reason: ruled.reason },
    ...{ edited_arguments: null, edited_digest: null },
    ...{ progress: holder === null ? null : "executing", holder, fence, executing_at: holder && isoNow(ctx) },
    ...{ ended_at: null, taken_at: null },
    ...toColumns(ctx.cause),
  };
}

type NewRow = Omit<ApprovalRow, "id">;

async function rule(ctx: TxCtx, row: NewRow, { name: agent }: HolderRow): Promise<number> {
  const id = ctx.tx.takeId();
  const allowed = row.executes === "client" ? "answered" : "approved";
  const state = row.progress ?? (row.ruled === "allow" ? allowed : "denied");
  await tellRuled(ctx, { ...row, id, agent, state });
  await store.insertApproval(ctx.tx, { ...row, id });
  return id;
}

interface Asking {
  row: NewRow;
  agent: HolderRow;
  input: AskApproval;
  caller: Caller | null;
}

async function ask(ctx: TxCtx, { row, agent, input, caller }: Asking): Promise<number> {
  await supersedeEarlier(ctx, row);
  await refuseFlood(ctx, agent);
  const { expires_seconds, verdicts } = input;
  const expires_at = expires_seconds === undefined ? null : new Date(ctx.now() + expires_seconds * 1000).toISOString();
  const notice = {
    key: `approval ${ctx.tx.takeId()}`,
    kind: "approval",
    tool: DECIDED_WITH,
    digest: row.digest,
    ...cardOf({ ...row, agent: agent.name, called_by_name: caller?.name ?? null }),
    agents: [agent.name],
    choices: verdicts,
    ...(expires_at && { expires_at }),
  };
  const id = parseId((await raise(ctx, notice, agent.principal_id)).id);
  await store.insertApproval(ctx.tx, { ...row, id });
  if (expires_at) await plan(ctx, { kind: EXPIRE, ref: id, at: Date.parse(expires_at) });
  await tellRequested(ctx, { ...row, id, agent: agent.name, state: "pending" });
  return id;
}

async function refuseFlood(ctx: TxCtx, { principal_id: agent_id, name }: HolderRow): Promise<void> {
  if ((await store.countOpen(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id })) < MOST_OPEN) return;
  throw new ParleyError(
    "TOO_MANY_APPROVALS",
    `${MOST_OPEN} calls of ${name} wait for a person already. Take one back with approval_withdraw, or wait.`,
    { details: { limit: MOST_OPEN } },
  );
}
