import type { Ctx } from "../../../context.ts";
import { MAIN_SPACE } from "../../../db/open.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId } from "../../../ids.ts";
import type { Run, Trigger, TriggerAnswer } from "../schema.ts";
import * as store from "../store.ts";
import type { RunRow, TriggerRow } from "../tables.ts";

export const isoAt = (ms: number): string => new Date(ms).toISOString();
export const isoNow = (ctx: Ctx): string => isoAt(ctx.now());

const noSuchTrigger = (name: string): ParleyError =>
  new ParleyError("TRIGGER_NOT_FOUND", `Trigger '${name.slice(0, 80)}' not found`);

export async function triggerNamed(ctx: Ctx, name: string): Promise<TriggerRow> {
  const row = await store.findTrigger(ctx.db, { space_id: ctx.actor.space_id, name });
  if (!row) throw noSuchTrigger(name);
  return row;
}

export function wire({ id, principal_id, query_secret, enabled, last_slot, updated_at, ...row }: TriggerRow): Trigger {
  return { ...row, id: formatId(id), query_secret: query_secret === 1, enabled: enabled === 1 };
}

export function wireRun(row: RunRow): Run {
  const { id, trigger_name, slot, cost_micros, task_id, run_id, trigger_id, cause, cause_how, ...rest } = row;
  return {
    ...rest,
    id: formatId(id),
    trigger: trigger_name,
    scheduled_at: slot,
    cost_usd: cost_micros === null ? null : cost_micros / 1_000_000,
    task_id: formatted(task_id),
    run_id: formatted(run_id),
    cause: formatted(cause),
  };
}

const formatted = (id: number | null): string | null => (id === null ? null : formatId(id));

/** With how it is called from outside, where it is. */
export async function answer(ctx: Ctx, row: TriggerRow): Promise<TriggerAnswer> {
  if (row.type !== "webhook") return { trigger: wire(row) };
  const { space_id } = ctx.actor;
  const webhook_url = `${ctx.address()}/api/webhook/${space_id === MAIN_SPACE ? "" : `${space_id}/`}${row.name}`;
  const secured = await store.hasSecret(ctx.db, { space_id, trigger_id: row.id });
  const proof = secured ? ` -H 'X-Webhook-Secret: <secret>'` : "";
  return {
    trigger: wire(row),
    webhook_url,
    hint: `curl -X POST ${webhook_url}${proof} -H 'Content-Type: application/json' -d '{"hello":"world"}'`,
    auth: secured ? SECURED : OPEN,
  };
}

const SECURED =
  "Sign the body with the secret, by Standard Webhooks (webhook-signature) or as GitHub does (X-Hub-Signature-256), or send it as X-Webhook-Secret.";
const OPEN = "No secret is set: whoever reaches this address can fire it. trigger_rotate makes a secret.";
