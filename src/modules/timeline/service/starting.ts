import { z } from "zod";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import type { DueHandler } from "../../../module.ts";
import { type AgentRow, addressed, beat, endTokens, issueRunToken, noteDoing } from "../../identity/index.ts";
import type { ReportRuntime, RuntimeStarted, StartRuntime } from "../schema.ts";
import * as store from "../store.ts";
import type { RuntimeRow } from "../tables.ts";
import { tellStarted } from "./events.ts";
import { asRuntime, findRuntimeOf, takenOf } from "./fencing.ts";
import { followedBy, noteFollowed } from "./following.ts";
import { pinnedInbox } from "./injecting.ts";
import { rootOf } from "./lineage.ts";
import { isSilent, SILENT, watch } from "./silence.ts";
import { endTurn } from "./turns.ts";
import { idOrNull, isoAt, isoNow, own, TOKEN_MS } from "./wire.ts";

export const NEVER_RUN: Omit<RuntimeRow, "principal_id"> = {
  ...{ fence: 0, driver: null, started_at: null, seen_at: null, ended_at: null, turn_id: null, taken_id: 0 },
  ...{ abort_turn_id: null, abort_by: null, paused_at: null, paused_by: null, mounts: "{}", in_hub: null },
  ...{ forked_from: null, forked_at: null, tools_off_at: null, token_id: null, account: null },
};

/** As which program an agent is there that a runtime runs. */
const CLIENT = "parley";

/**
 * Whoever starts last runs the agent: from here on nothing of an earlier runtime counts. What that one left unfinished is
 * ended, and the inbox is followed before anything is read from it.
 */
export function start(ctx: Ctx, { agent: name, driver, account, with_token }: StartRuntime): Promise<RuntimeStarted> {
  return transact(ctx, async (ctx) => {
    const agent = await own(ctx, name);
    const { principal_id } = agent;
    const known = await findRuntimeOf(ctx, agent);
    const row = { ...NEVER_RUN, principal_id, ...known };
    const interrupted_turn_id = row.turn_id;
    await interrupt(ctx, agent, row);
    const now = isoNow(ctx);
    Object.assign(row, {
      fence: row.fence + 1,
      driver,
      started_at: now,
      seen_at: now,
      ended_at: null,
      mounts: "{}",
      in_hub: startedBy(ctx, row),
      account,
    });
    const started_id = await tellStarted(ctx, agent, row.fence);
    await endProgramToken(ctx, row);
    const token = with_token ? await programToken(ctx, row, started_id) : null;
    await store.saveRuntime(ctx.tx, row);
    await store.saveSubscription(ctx.tx, pinnedInbox(agent, { fence: row.fence, created_at: now, last_error: null }));
    await beat(ctx, { client: CLIENT });
    await noteDoing(ctx, agent, { lifecycle: "starting", run_phase: "idle" });
    await watch(ctx, agent, row);
    return {
      known_as: (await store.findNameOf(ctx.tx, await rootOf(ctx, principal_id))) ?? agent.name,
      ...{ agent: agent.name, fence: row.fence, after_id: takenOf(row) },
      ...{ interrupted_turn_id: idOrNull(interrupted_turn_id), paused: row.paused_at !== null, abort_turn_id: null },
      subscriptions: await followedBy(ctx, agent),
      tools_off: row.tools_off_at !== null,
      token,
    };
  });
}

/** With who runs it from now on: one of the hub's nodes, by the token that is theirs, or somebody else, whom they leave it to. */
function startedBy({ actor }: Ctx, { in_hub }: RuntimeRow): string | null {
  if (in_hub === null) return null;
  const { elsewhere: _, ...hosting } = JSON.parse(in_hub);
  const elsewhere = hosting.token_id !== actor.token_id || undefined;
  return JSON.stringify({ ...hosting, elsewhere });
}

/** How the runtime itself is, and the servers it has mounted. */
export function report(
  ctx: Ctx,
  { lifecycle, error, mounts, subscriptions = [], ...whose }: ReportRuntime,
): Promise<{ ok: true }> {
  return asRuntime(ctx, whose, async (ctx, { agent, row }) => {
    if (mounts) row.mounts = JSON.stringify(mounts);
    await noteFollowed(ctx, { agent, row }, subscriptions);
    if (lifecycle === "ready") {
      row.seen_at = isoNow(ctx);
      await watch(ctx, agent, row);
    } else await end(ctx, agent, row, error);
    await noteDoing(ctx, agent, { lifecycle, ...(lifecycle !== "ready" && { run_phase: "idle" }) });
    return { ok: true };
  });
}

async function end(ctx: TxCtx, agent: AgentRow, row: RuntimeRow, error?: string): Promise<void> {
  await interrupt(ctx, agent, row, error);
  row.ended_at = isoNow(ctx);
  await endProgramToken(ctx, row);
  await unplan(ctx, { kind: SILENT, ref: agent.inbox_id });
}

/** Each turn becomes its cause as it begins: a program may have one token for all of them, and a session of its own. */
async function programToken(ctx: TxCtx, row: RuntimeRow, cause: number): Promise<string> {
  const expires_at = isoAt(ctx.now() + TOKEN_MS);
  const { id, token } = await issueRunToken(ctx, {
    ...{ principal_id: row.principal_id, cause, expires_at, governed: true },
  });
  row.token_id = id;
  return token;
}

async function endProgramToken(ctx: TxCtx, row: RuntimeRow): Promise<void> {
  if (row.token_id !== null) await endTokens(ctx, [row.token_id]);
  row.token_id = null;
}

/**
 * The turn that its runtime can no longer end. What waits for a person stays, unless a person has aborted the turn: then
 * that is its end, and what it was begun for is taken.
 */
async function interrupt(ctx: TxCtx, agent: AgentRow, row: RuntimeRow, error?: string): Promise<void> {
  if (row.turn_id === null) return;
  const turn = await store.findTurn(ctx.tx, { space_id: ctx.tx.space_id, id: row.turn_id });
  if (!turn) return;
  const is_aborted = row.abort_turn_id === turn.id;
  const how = is_aborted
    ? ({ outcome: "aborted", seen_id: formatId(turn.id) } as const)
    : ({ outcome: "interrupted" } as const);
  await endTurn(ctx, { agent, row }, turn, { key: `interrupted:${turn.id}`, error, ...how });
}

const Payload = z.object({ agent: z.string() });

/** Looks whether the runtime of an agent is still there. */
const lookForSilence: DueHandler = async (ctx, { payload }) => {
  const agent = await findAgent(ctx, Payload.parse(payload).agent);
  const known = agent && (await findRuntimeOf(ctx, agent));
  if (!known || known.ended_at !== null) return;
  if (!isSilent(ctx, known)) return watch(ctx, agent, known);
  const row = { ...known };
  await interrupt(ctx, agent, row, "The agent's runtime was not heard of for 30 seconds.");
  await store.saveRuntime(ctx.tx, row);
  await noteDoing(ctx, agent, { lifecycle: "failed", run_phase: "idle" });
};

/** Undefined for one that was deleted. */
const findAgent = (ctx: Ctx, name: string): Promise<AgentRow | null | undefined> =>
  addressed(ctx, name).then(
    ({ agent }) => agent,
    (error: unknown) => {
      if (error instanceof ParleyError && error.code === "AGENT_NOT_FOUND") return undefined;
      throw error;
    },
  );

export const runtimeDue = { [SILENT]: lookForSilence };
