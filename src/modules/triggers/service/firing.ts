import type { Ctx, TxCtx } from "../../../context.ts";
import { transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import { because, toColumns } from "../../../feed/index.ts";
import { formatId, parseId } from "../../../ids.ts";
import { ensureTrigger } from "../../identity/index.ts";
import * as runs from "../../runs/index.ts";
import * as tasks from "../../tasks/index.ts";
import { MOST_PAYLOAD_BYTES, type Run, type RunTrigger, type Tried, type TryTrigger } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow, Source, TriggerRow } from "../tables.ts";
import { tellFired } from "./events.ts";
import { type Payload, payloadOf } from "./payload.ts";
import { promptOf, render, sessionKeyOf } from "./rendering.ts";
import { isoAt, isoNow, triggerNamed, wireRun } from "./wire.ts";

/** Of one trigger so many may wait or go on: what comes beyond that is skipped, and says so. */
const MOST_OPEN = 1000;

export interface Firing {
  trigger: TriggerRow;
  source: Source;
  sender: string;
  payload?: Payload | undefined;
  slot?: number;
  delivery?: string | undefined;
  session_key?: string | undefined;
}

/** Once, with its run's row: it becomes a run of a program or a task, or is skipped with the reason. */
export async function fire(outer: TxCtx, firing: Firing): Promise<RunRow> {
  const { trigger, source, sender, payload, slot, delivery, session_key } = firing;
  const [skipped, starts] = await Promise.all([
    whySkipped(outer, trigger),
    runs.isConfigured(outer, { kind: "trigger", name: trigger.name }),
    trigger.overlap === "queue" && tasks.foresee(outer, senderOf(trigger.name)),
  ]);
  const state = skipped === undefined ? "pending" : "skipped";
  const id = await tellFired(outer, { name: trigger.name, source, state });
  const ctx = because(outer, id);
  const occasion = { trigger, payload, sender, now: outer.now(), run_id: formatId(id) };
  const run: RunRow = {
    ...rowOf(ctx, trigger, { id, source, sender }),
    ...{ slot: slot === undefined ? null : isoAt(slot), delivery: delivery ?? null },
    session_key: session_key ?? sessionKeyOf(occasion),
    ...toColumns(outer.cause),
  };
  if (payload) await store.insertPayload(ctx.tx, { ...payload, id });
  const row: RunRow =
    skipped === undefined
      ? {
          ...run,
          ...(await become(ctx, run, { trigger, starts, prompt: render(promptOf(ctx.config, trigger), occasion) })),
        }
      : { ...run, state: "skipped", reason: skipped, ended_at: run.fired_at };
  await store.insertRun(ctx.tx, row);
  // A slot's is counted by who deals with it.
  if (slot !== undefined) await hit("cron.after_slot_insert");
  else if (skipped === undefined) await store.countRun(ctx.tx, trigger.id, run.fired_at);
  return row;
}

const rowOf = (
  ctx: TxCtx,
  { id: trigger_id, name }: TriggerRow,
  own: Pick<RunRow, "id" | "source" | "sender">,
): RunRow => ({
  ...own,
  ...{ trigger_id, trigger_name: name, slot: null, delivery: null, session_key: "", state: "pending", reason: null },
  ...{
    fired_at: isoNow(ctx),
    started_at: null,
    ended_at: null,
    outcome: null,
    cost_micros: null,
    task_id: null,
    run_id: null,
  },
  ...toColumns(undefined),
});

async function whySkipped(ctx: TxCtx, { id, overlap }: TriggerRow): Promise<string | undefined> {
  if (overlap === "allow") return undefined;
  const open = await store.listOpen(ctx.tx, id, overlap === "skip" ? 1 : MOST_OPEN);
  if (overlap === "skip") return open[0] ? `overlap: run ${open[0].id} was still going on` : undefined;
  return open.length < MOST_OPEN ? undefined : `overlap: ${MOST_OPEN} runs wait already`;
}

interface Becoming {
  trigger: TriggerRow;
  /** Whether there is a program that the hub starts for it. */
  starts: boolean;
  prompt: string;
}

/** The program of the trigger with what it is told, else a task for whoever takes it. */
async function become(
  ctx: TxCtx,
  { session_key }: RunRow,
  { trigger, starts, prompt }: Becoming,
): Promise<Pick<RunRow, "task_id" | "run_id">> {
  const { name, channel, overlap, session_mode } = trigger;
  if (starts) {
    const run = { kind: "trigger", name, session_mode, session_key, prompt, parallel: overlap === "allow" } as const;
    return { task_id: null, run_id: await runs.plan(ctx, run) };
  }
  const sender = senderOf(name);
  const sender_id = trigger.principal_id ?? (await holderOf(ctx, trigger));
  const { id } = await tasks.create(ctx, {
    ...{ content: prompt, channel, sender, sender_id },
    ...(overlap === "queue" && { concurrency_key: sender }),
  });
  return { task_id: parseId(id), run_id: null };
}

/** Of one that was made before its row said so. */
async function holderOf(ctx: TxCtx, { id, name }: TriggerRow): Promise<string> {
  const principal = await ensureTrigger(ctx, name);
  await store.savePrincipal(ctx.tx, id, principal.id);
  return principal.id;
}

const senderOf = (name: string): string => `trigger:${name}`;

/** How slots became nothing: they passed while nobody was there, or whatever was tried failed. */
const NOTHING = {
  missed: { state: "skipped", words: "missed" },
  failed: { state: "failed", words: "tried in vain, and the hub's log says why" },
} as const;

interface Passed {
  slots: readonly number[];
  /** There were more than these. */
  more?: boolean;
  how: keyof typeof NOTHING;
}

/** One row for all of them, and they stay what they are. */
export async function noteNothing(ctx: TxCtx, trigger: TriggerRow, { slots, more, how }: Passed): Promise<void> {
  const [first = 0, last = 0] = [slots[0], slots.at(-1)];
  const { state, words } = NOTHING[how];
  const id = await tellFired(ctx, { name: trigger.name, source: "cron", state });
  const many = slots.length === 1 ? "1 slot was" : `${more ? "more than " : ""}${slots.length} slots were`;
  await store.insertRun(ctx.tx, {
    ...rowOf(ctx, trigger, { id, source: "cron", sender: "cron" }),
    ...{ slot: isoAt(last), state, ended_at: isoNow(ctx) },
    reason: `${how}: ${many} ${words}, ${isoAt(first)} to ${isoAt(last)}`,
  });
}

/** By hand. */
export function run(ctx: Ctx, { name, session_key, ...given }: RunTrigger): Promise<Run> {
  return transact(ctx, async (ctx) => {
    const trigger = await triggerNamed(ctx, name);
    if (!trigger.enabled) throw new ParleyError("TRIGGER_DISABLED", `Trigger '${name}' is disabled. Enable it first.`);
    const payload = await payloadFor(ctx, { ...given, name });
    return wireRun(await fire(ctx, { trigger, source: "manual", sender: ctx.actor.name, payload, session_key }));
  });
}

/** What it would say to that, without doing anything. */
export async function test(ctx: Ctx, { name, run, payload }: TryTrigger): Promise<Tried> {
  const trigger = await triggerNamed(ctx, name);
  const old = run === undefined ? undefined : await runOf(ctx, name, run);
  const sender = old?.sender ?? ctx.actor.name;
  const shown = await payloadFor(ctx, { name, again: run, payload });
  const occasion = { trigger, sender, now: ctx.now(), payload: shown, run_id: run };
  return {
    name,
    fires: trigger.enabled === 1,
    why_not: trigger.enabled ? null : `Trigger '${name}' is disabled.`,
    becomes: (await runs.isConfigured(ctx, { kind: "trigger", name })) ? "run" : "task",
    sender: `trigger:${name}`,
    session_key: sessionKeyOf(occasion),
    prompt: render(promptOf(ctx.config, trigger), occasion),
    payload: shown?.payload ?? null,
  };
}

type Given = { name: string; again?: string | undefined; payload?: unknown };

async function payloadFor(ctx: Ctx, { name, again, payload }: Given): Promise<Payload | undefined> {
  if (again === undefined) return checked(payloadOf(payload));
  if (payload !== undefined) throw new ParleyError("INVALID_ARGUMENT", "Either a payload or an earlier run, not both.");
  const { id } = await runOf(ctx, name, again);
  return store.findPayload(ctx.db, { space_id: ctx.actor.space_id, id });
}

function checked(payload: Payload | undefined): Payload | undefined {
  const bytes = Buffer.byteLength(payload?.payload ?? "");
  if (bytes <= MOST_PAYLOAD_BYTES) return payload;
  throw new ParleyError(
    "CONTENT_TOO_LARGE",
    `A payload holds at most ${MOST_PAYLOAD_BYTES} bytes; this one has ${bytes}.`,
  );
}

async function runOf(ctx: Ctx, name: string, id: string): Promise<RunRow> {
  const row = await store.findRun(ctx.db, { space_id: ctx.actor.space_id, id: parseId(id) });
  if (row?.trigger_name === name) return row;
  throw new ParleyError("NOT_FOUND", `Trigger '${name}' has no run ${id}. trigger_runs lists them.`);
}
