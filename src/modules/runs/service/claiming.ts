import { randomBytes, randomUUID } from "node:crypto";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { formatId } from "../../../ids.ts";
import { issueRunToken, runHolder } from "../../identity/index.ts";
import { charge, hasReady, isOverBudget, offerWake, quotaEnd } from "../../tasks/index.ts";
import * as store from "../store.ts";
import type { RunRow } from "../tables.ts";
import { GONE_ON, letGo } from "./deferring.ts";
import { runEnded } from "./events.ts";
import type { Node } from "./nodes.ts";
import { isoAt, isoNow, spender, waitsForApproval, wakeOf } from "./wire.ts";

/** So much longer than the run its token is good for, should nobody end it. */
const TOKEN_GRACE_MS = 5 * 60_000;
/** So often it is looked whether a budget that is used up allows more. */
const LOOK_AGAIN_MS = 30_000;

interface Claim {
  id: number;
  node: Node;
  /** Whether its client takes the session id that it is given. */
  chooses_session: boolean;
  timeout_ms: number;
  /** Whose quota and money its program uses. */
  account: string;
  /** Whether it is under the policy: its program goes on with a call that was put off, and asks about it once more. */
  can_go_on: boolean;
}

/** An attempt that is this node's from now on. */
export interface Claimed {
  space_id: string;
  run: Pick<RunRow, "id" | "kind" | "name" | "session_key" | "session_mode" | "prompt">;
  attempt: number;
  /** What every process of it carries. */
  cookie: string;
  token: string;
  /** Null for a new one of a client that chooses it itself. */
  session_id: string | null;
  is_resumed: boolean;
}

/** Undefined when it is not to begin now: somebody has it, another of its session is before it, or it is not its time. */
export function claim(ctx: Ctx, wanted: Claim): Promise<Claimed | undefined> {
  const { id, node, timeout_ms, account } = wanted;
  return transact(ctx, async (ctx) => {
    const known = await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id });
    if (!known || !(await mayBegin(ctx, known))) return undefined;
    if (await isForAnother(ctx, known, node)) return undefined;
    const row = { ...(await goingOn(ctx, known, wanted)), account };
    // What goes on was begun within its budget, and has what it was started for.
    const is_new = row.approval_id === null;
    if (is_new && row.kind === "worker" && !(await hasReady(ctx))) return skip(ctx, row);
    if (is_new && (await isOverBudget(ctx, spender(row))))
      return putOff(ctx, row, "budget", isoAt(ctx.now() + LOOK_AGAIN_MS));
    const quota_end = await quotaEnd(ctx, account);
    if (quota_end) return putOff(ctx, row, "quota", quota_end);
    const prompt = is_new ? await promptOf(ctx, row) : "";
    if (prompt === undefined) return skip(ctx, row);
    if (is_new) await charge(ctx, { ...spender(row), runs: 1 });
    const attempt = row.attempt + 1;
    const { session_id, is_resumed } = await sessionFor(ctx, row, wanted);
    const holder = await runHolder(ctx, row);
    const expires_at = isoAt(ctx.now() + timeout_ms + TOKEN_GRACE_MS);
    const made = { ...holder, cause: id, expires_at, governed: wanted.can_go_on };
    const { id: token_id, token } = await issueRunToken(ctx, made);
    const cookie = `${formatId(id)}.${attempt}.${randomBytes(12).toString("hex")}`;
    const held = { node: node.id, host: node.host, session_id };
    await store.saveRun(ctx.tx, {
      ...{ ...row, ...held, state: "claimed", waits_for: null, attempt, node_boot: node.boot, token_id },
      // What goes on knows of nothing that came while it waited.
      claimed_id: is_new ? ctx.tx.takeId() : row.claimed_id,
      ...{ pid: null, pid_start: null, exit_code: null, signal: null, error: null },
    });
    await store.insertAttempt(ctx.tx, {
      ...{ run_id: id, attempt, cookie, ...held, is_resumed: is_resumed ? 1 : 0, claimed_at: isoNow(ctx) },
      ...{ pid: null, started_at: null, ended_at: null, outcome: null, exit_code: null, signal: null, error: null },
      cost_micros: null,
    });
    await store.saveOutput(ctx.tx, { run_id: id, attempt, bytes: 0, output: "" });
    const { kind, name, session_key, session_mode } = row;
    const run = { id, kind, name, session_key, session_mode, prompt };
    return { space_id: ctx.tx.space_id, run, attempt, cookie, token, session_id, is_resumed };
  });
}

/** What it tells its session of are the ends that the session has not heard of by now; undefined where there is none left. */
async function promptOf(ctx: TxCtx, row: RunRow): Promise<string | undefined> {
  const wakes = row.kind === "trigger" ? await store.listWakes(ctx.tx, row.id) : [];
  if (wakes.length === 0) return row.prompt;
  const owed: string[] = [];
  for (const wake of wakes) if (await offerWake(ctx, { ...wakeOf(wake), by: "run" })) owed.push(wake.told);
  if (owed.length === 0) return undefined;
  const prompt = owed.join("\n\n");
  if (prompt !== row.prompt) await store.savePrompt(ctx.tx, { ...row, prompt });
  return prompt;
}

/** Somebody else has taken what it was to be started for, or the session knows it already. */
async function skip(ctx: TxCtx, row: RunRow): Promise<undefined> {
  const skipped = { ...row, state: "skipped", waits_for: null, ended_at: isoNow(ctx) } as const;
  await store.saveRun(ctx.tx, skipped);
  await runEnded.tell(ctx, skipped, { outcome: "skipped" });
}

/** Of a budget more may be allowed at any time, and at midnight it is another day; that a quota ends earlier is told (`watching.ts`). */
async function putOff(ctx: TxCtx, row: RunRow, waits_for: "budget" | "quota", not_before: string): Promise<undefined> {
  await store.saveRun(ctx.tx, { ...row, waits_for, not_before });
}

/** What was put off is in a session of its machine: while that has a node it waits for it. */
async function isForAnother(ctx: TxCtx, { approval_id, host }: RunRow, node: Node): Promise<boolean> {
  if (approval_id === null || host === node.host) return false;
  return (await store.listLiveNodes(ctx.tx, isoNow(ctx))).some((one) => one.host === host);
}

/** Where it cannot go on, on another machine or by another program, it begins anew, and asks anew. */
async function goingOn(ctx: TxCtx, row: RunRow, { node, can_go_on }: Claim): Promise<RunRow> {
  if (row.approval_id === null || (can_go_on && row.host === node.host && row.session_id !== null)) return row;
  // Another program would be told nothing of the decision, and might make the call by itself.
  await store.deleteSession(ctx.tx, row);
  await letGo(ctx, row, "It could not go on where it was, and began anew.");
  return { ...row, ...GONE_ON, session_id: null };
}

async function mayBegin(ctx: TxCtx, row: RunRow): Promise<boolean> {
  if (row.state !== "queued" || waitsForApproval(row) || row.not_before > isoNow(ctx)) return false;
  if (await store.findPause(ctx.tx, ctx.tx.space_id)) return false;
  return (await store.findBefore(ctx.tx, row)) === undefined;
}

/** One that is kept lives on the machine where it began: elsewhere it begins anew. */
async function sessionFor(
  ctx: TxCtx,
  row: RunRow,
  { node, chooses_session }: Pick<Claim, "node" | "chooses_session">,
): Promise<{ session_id: string | null; is_resumed: boolean }> {
  if (row.approval_id !== null) return { session_id: row.session_id, is_resumed: true };
  const fresh = chooses_session ? randomUUID() : null;
  if (row.session_mode === "ephemeral") return { session_id: fresh, is_resumed: false };
  const known = await store.findSession(ctx.tx, row);
  if (known?.session_id && known.host === node.host) return { session_id: known.session_id, is_resumed: true };
  const { kind, name, session_key } = row;
  const begun = { kind, name, session_key, session_id: fresh, host: node.host, cost_micros: 0 };
  await store.saveSession(ctx.tx, { ...begun, updated_at: isoNow(ctx) });
  return { session_id: fresh, is_resumed: false };
}
