/**
 * Tells sessions of triggers of the ends that they wait for, by a run of the trigger's program: in the session that waits,
 * where it is kept, once what runs of it is over. A wake that nobody is there to deliver stays owed and is looked at again.
 */
import { z } from "zod";
import type { Ctx, TxCtx } from "../../../context.ts";
import { move } from "../../../due/index.ts";
import { parseId } from "../../../ids.ts";
import type { DueHandler, SessionProvider } from "../../../module.ts";
import * as runs from "../../runs/index.ts";
import * as tasks from "../../tasks/index.ts";
import * as store from "../store.ts";
import type { TriggerRow } from "../tables.ts";
import { relayText } from "./rendering.ts";

const RELAY = "trigger.relay";
const PAGE = 50;
/** So often it is looked whether what is owed can be told by now. */
const SWEEP_MS = 30_000;
/** A session that fails on it is tried again, later and later; then the wake stays owed. */
export const RETRIES = 5;
const Payload = z.object({ after: z.int() });
const FROM_START = { after: 0 };

type Wake = Awaited<ReturnType<typeof tasks.listWakes>>[number];

export const planRelays = (ctx: TxCtx): Promise<void> =>
  move(ctx, { kind: RELAY, ref: 0, at: ctx.now(), payload: FROM_START });

const relayOwed: DueHandler = async (ctx, { payload }) => {
  const { after } = Payload.parse(payload);
  const wakes = await tasks.listWakes(ctx, { after_id: after, limit: PAGE });
  const told = new Map<string, TriggerRow | undefined>();
  // Asked once for all that is owed to one: where a file wakes it, a wake is owed until somebody has taken that.
  for (const name of new Set(wakes.map(({ trigger_name }) => trigger_name)))
    told.set(name, await toldTrigger(ctx, name));
  let undelivered = after > 0;
  for (const wake of wakes) undelivered = !(await relay(ctx, wake, told.get(wake.trigger_name))) || undelivered;
  const last = wakes.at(-1);
  const next = { kind: RELAY, ref: 0 };
  if (last && wakes.length === PAGE) await move(ctx, { ...next, at: ctx.now(), payload: { after: parseId(last.id) } });
  else if (undelivered) await move(ctx, { ...next, at: ctx.now() + SWEEP_MS, payload: FROM_START });
};

/** False while there is nobody to tell it: what watches files may, or a program that is configured later. */
async function relay(ctx: TxCtx, wake: Wake, trigger: TriggerRow | undefined): Promise<boolean> {
  const { trigger_name: name, session_key, task_id, run_id } = wake;
  if (!trigger) return false;
  if (await runs.isTold(ctx, wake)) return true;
  const { session_mode } = trigger;
  const behind = run_id === null ? undefined : parseId(run_id);
  const session = { session_mode, session_key, behind, parallel: true };
  const prompt = await promptFor(ctx, wake);
  const run = { kind: "trigger", name, ...session, prompt, retries: RETRIES, cause: parseId(task_id) } as const;
  await runs.tellSession(ctx, { ...run, wake });
  return true;
}

/** Undefined for one that is none, or has no program. */
export async function toldTrigger(ctx: Ctx, name: string): Promise<TriggerRow | undefined> {
  const trigger = await store.findTrigger(ctx.db, { space_id: ctx.actor.space_id, name });
  return trigger && (await runs.isConfigured(ctx, { kind: "trigger", name })) ? trigger : undefined;
}

export const toldSessions: SessionProvider = {
  tells: async (ctx, { trigger_name }) => (await toldTrigger(ctx, trigger_name)) !== undefined,
  gaveUp: runs.isGivenUp,
};

async function promptFor(ctx: TxCtx, { task_id, status, response_summary, error, run_id }: Wake): Promise<string> {
  const { content } = await tasks.look(ctx, parseId(task_id));
  const fired = run_id === null ? undefined : await store.findRunOfRun(ctx.tx, parseId(run_id));
  return relayText({
    task_id,
    status,
    content,
    result: response_summary ?? error ?? "",
    sender: fired?.sender ?? null,
  });
}

export const relayingDue: Record<string, DueHandler> = { [RELAY]: relayOwed };
/** A program is started, which takes far longer. */
export const relayingThrottle = { [RELAY]: 250 };
