import { randomBytes } from "node:crypto";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import { ensureTrigger } from "../../identity/index.ts";
import { endStreak, forgetSessions } from "../../runs/index.ts";
import type {
  CreateTrigger,
  Deleted,
  ListTriggers,
  LookAtTrigger,
  Rotate,
  Rotated,
  TriggerAnswer,
  TriggerDetails,
  TriggerList,
  TriggerRef,
  UpdateTrigger,
} from "../schema.ts";
import * as store from "../store.ts";
import type { TriggerRow } from "../tables.ts";
import { checkZone, scheduleOf } from "./cron.ts";
import { tellCreated, tellDeleted, tellUpdated } from "./events.ts";
import { list as listRuns } from "./history.ts";
import { keyOf, seal } from "./secrets.ts";
import { planNext, unplanAll } from "./slots.ts";
import { answer, isoAt, isoNow, triggerNamed, wire } from "./wire.ts";

/** As many as one space has: a list of them is read whole. */
const MOST_TRIGGERS = 5000;
const MOST_NEXT = 5;
/** Of runs that go on when a trigger is deleted so many are named. */
const MOST_IN_FLIGHT = 100;

const DEFAULTS = {
  channel: "internal",
  timezone: "UTC",
  missed: "once",
  missed_max: 10,
  missed_window_seconds: 86_400,
  session_mode: "ephemeral",
} as const;

/** What runs one after the other by itself, and what others send at any rate. */
const OVERLAP = { cron: "queue", webhook: "allow", manual: "allow" } as const;

export function create(ctx: Ctx, input: CreateTrigger): Promise<TriggerAnswer> {
  const { webhook_secret, enabled = true, query_secret = false, ...rest } = input;
  checkFields(input, input.type);
  if (input.type === "cron" && input.schedule === undefined)
    throw new ParleyError("INVALID_ARGUMENT", "Cron triggers need a schedule, such as 0 9 * * *.");
  return transact(ctx, async (ctx) => {
    const { space_id } = ctx.tx;
    if (await store.findTrigger(ctx.tx, { space_id, name: input.name }))
      throw new ParleyError("NAME_TAKEN", `Trigger '${input.name}' already exists. Change it with trigger_update.`);
    if ((await store.countTriggers(ctx.tx, ctx.tx.space_id)) >= MOST_TRIGGERS)
      throw new ParleyError("LIMIT_REACHED", `There are ${MOST_TRIGGERS} triggers here already. Delete one first.`);
    const id = await tellCreated(ctx, input.name);
    const row: TriggerRow = {
      ...DEFAULTS,
      ...{ description: null, schedule: null, session_key: null, prompt: null, overlap: OVERLAP[input.type] },
      ...given(rest),
      ...{ id, name: input.name, principal_id: (await ensureTrigger(ctx, input.name)).id },
      ...{ type: input.type, enabled: Number(enabled), query_secret: Number(query_secret) },
      ...{ last_slot: null, next_run: null, last_run: null, run_count: 0, refused_at: null, refused_for: null },
      ...{ created_at: isoNow(ctx), created_by: ctx.actor.name, updated_at: isoNow(ctx) },
    };
    const planned = await planNext(ctx, row);
    await store.insertTrigger(ctx.tx, planned);
    if (webhook_secret !== undefined) await addSecret(ctx, id, webhook_secret);
    return answer(ctx, planned);
  });
}

/** Only what was said. */
const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  // What is undefined is left out just here.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

function checkFields(
  { schedule, timezone = "UTC", webhook_secret }: Partial<CreateTrigger>,
  type: TriggerRow["type"],
): void {
  checkZone(timezone);
  if (schedule !== undefined && type !== "cron")
    throw new ParleyError("INVALID_ARGUMENT", `schedule: a ${type} trigger has none. Make one of type cron.`);
  if (webhook_secret !== undefined && type !== "webhook")
    throw new ParleyError("INVALID_ARGUMENT", `webhook_secret: a ${type} trigger has none. Make one of type webhook.`);
  if (schedule !== undefined) scheduleOf({ schedule, timezone });
}

/** Only what is given changes. What is no reason to fire at another time moves no slot. */
export function update(
  ctx: Ctx,
  { name, webhook_secret, enabled, query_secret, ...input }: UpdateTrigger,
): Promise<TriggerAnswer> {
  return transact(ctx, async (ctx) => {
    const before = await triggerNamed(ctx, name);
    const fields = given(input);
    if (
      Object.keys(fields).length === 0 &&
      webhook_secret === undefined &&
      enabled === undefined &&
      query_secret === undefined
    )
      throw new ParleyError("INVALID_ARGUMENT", "No fields to update");
    const merged = { ...before, ...fields };
    const { schedule, timezone } = merged;
    checkFields({ ...fields, timezone, ...(webhook_secret !== undefined && { webhook_secret }) }, before.type);
    if (schedule !== null && before.type === "cron") scheduleOf({ schedule, timezone });
    const row: TriggerRow = {
      ...merged,
      enabled: enabled === undefined ? before.enabled : Number(enabled),
      query_secret: query_secret === undefined ? before.query_secret : Number(query_secret),
      updated_at: isoNow(ctx),
    };
    const moved =
      row.schedule !== before.schedule || row.timezone !== before.timezone || row.enabled !== before.enabled;
    const planned = moved ? await planNext(ctx, row) : row;
    await store.updateTrigger(ctx.tx, planned);
    if (webhook_secret !== undefined) {
      await store.deleteSecrets(ctx.tx, before.id);
      await addSecret(ctx, before.id, webhook_secret);
    }
    // Whoever switches off what fails has dealt with it.
    if (row.enabled === 0) await endStreak(ctx, { kind: "trigger", name });
    await tellUpdated(ctx, { id: before.id, name });
    return answer(ctx, planned);
  });
}

/** A new secret. Those before it count for a while, so that senders can be changed one after the other. */
export function rotate(ctx: Ctx, { name, webhook_secret, overlap_seconds }: Rotate): Promise<Rotated> {
  return transact(ctx, async (ctx) => {
    const row = await triggerNamed(ctx, name);
    checkFields({ webhook_secret: "" }, row.type);
    const now = isoNow(ctx);
    const was = await store.listSecrets(ctx.tx, { space_id: ctx.tx.space_id, trigger_id: row.id, now });
    const old_retire_at = was.length > 0 ? isoAt(ctx.now() + overlap_seconds * 1000) : null;
    await store.deleteRetired(ctx.tx, row.id, now);
    if (old_retire_at !== null) await store.retireSecrets(ctx.tx, row.id, old_retire_at);
    const secret = webhook_secret ?? `whsec_${randomBytes(32).toString("base64")}`;
    await addSecret(ctx, row.id, secret);
    await tellUpdated(ctx, { id: row.id, name });
    return { name, webhook_secret: secret, old_retire_at };
  });
}

async function addSecret(ctx: TxCtx, trigger_id: number, secret: string): Promise<void> {
  const sealed = seal(await keyOf(ctx), secret, { space_id: ctx.tx.space_id, trigger_id });
  await store.insertSecret(ctx.tx, {
    trigger_id,
    id: ctx.tx.takeId(),
    sealed,
    created_at: isoNow(ctx),
    retires_at: null,
  });
}

export async function list(ctx: Ctx, { type }: ListTriggers): Promise<TriggerList> {
  return { triggers: (await store.listTriggers(ctx.db, ctx.actor.space_id, type)).map(wire) };
}

export async function get(ctx: Ctx, { name, runs }: LookAtTrigger): Promise<TriggerDetails> {
  const row = await triggerNamed(ctx, name);
  const secrets = await store.listSecrets(ctx.db, {
    space_id: ctx.actor.space_id,
    trigger_id: row.id,
    now: isoNow(ctx),
  });
  return {
    ...(await answer(ctx, row)),
    next_runs: nextRuns(row),
    secrets: secrets.map(({ id, created_at, retires_at }) => ({ id: formatId(id), created_at, retires_at })),
    runs: runs === 0 ? [] : (await listRuns(ctx, { name, limit: runs })).runs,
  };
}

function nextRuns({ schedule, timezone, next_run }: TriggerRow): string[] {
  if (schedule === null || next_run === null) return [];
  const found = [Date.parse(next_run)];
  for (let slot = found[0]; slot !== undefined && found.length < MOST_NEXT; ) {
    slot = scheduleOf({ schedule, timezone }).next(slot);
    if (slot !== undefined) found.push(slot);
  }
  return found.map(isoAt);
}

/** Its runs are kept: what is under way goes on, and its end is noted there. */
export function remove(ctx: Ctx, { name }: TriggerRef): Promise<Deleted> {
  return transact(ctx, async (ctx) => {
    const { id } = await triggerNamed(ctx, name);
    const open = await store.listOpen(ctx.tx, id, MOST_IN_FLIGHT);
    await unplanAll(ctx, id);
    await store.deleteSecrets(ctx.tx, id);
    await store.deleteTrigger(ctx.tx, id);
    const sessions = await forgetSessions(ctx, { kind: "trigger", name });
    await endStreak(ctx, { kind: "trigger", name });
    await tellDeleted(ctx, { id, name });
    const in_flight = open.map(({ id, task_id }) => ({
      id: formatId(id),
      task_id: task_id === null ? null : formatId(task_id),
    }));
    return { name, deleted: true, sessions, in_flight };
  });
}
