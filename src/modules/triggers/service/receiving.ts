/** Requests from outside. What is answered with a 2xx is durable; said again under the same id it is one run. */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import type { Reply } from "../../../route.ts";
import { TriggerName } from "../schema.ts";
import * as store from "../store.ts";
import type { TriggerRow } from "../tables.ts";
import { tellRefused } from "./events.ts";
import { type Firing, fire } from "./firing.ts";
import { parsePayload } from "./payload.ts";
import { unseal } from "./secrets.ts";
import { deliveryOf, type Signed, whyNotProven } from "./signing.ts";
import { isoNow } from "./wire.ts";

const reply = (status: number, error: string): Reply => ({ status, body: { error } });
const NOT_FOUND: Refused = { reply: reply(404, "Webhook not found") };
/** A storm of what is refused writes no more often. */
const NOTED_EVERY_MS = 10_000;

interface Refused {
  /** What the sender is told. */
  reply: Reply;
  /** What its owner is told besides, where there is one. */
  why?: string;
}

export function receive(ctx: Ctx, name: string, signed: Signed): Promise<Reply> {
  return unlessGone(async () => {
    const taken = await take(ctx, name, signed);
    if (!("reply" in taken)) return taken;
    if (taken.why !== undefined) await note(ctx, name, taken.why);
    return taken.reply;
  });
}

async function take(ctx: Ctx, name: string, signed: Signed): Promise<Reply | Refused> {
  const known = await admit(ctx, name, signed);
  if ("reply" in known) return known;
  const payload = parsePayload(signed.bytes, signed.header("content-type"));
  if ("error" in payload) return { reply: reply(400, payload.error), why: `${payload.error}.` };
  const answer = await transact(ctx, async (ctx) => {
    // Once more, under the lock: it may have been deleted, switched off or given another secret meanwhile.
    const trigger = await admit(ctx, name, signed);
    return "reply" in trigger ? trigger : fireOnce(ctx, { trigger, payload, delivery: deliveryOf(signed) });
  });
  if (!("reply" in answer)) await hit("webhook.after_commit");
  return answer;
}

/** The trigger that this may fire, or why it may not. Asked first outside a transaction: a stranger takes no turn at the space. */
async function admit(ctx: Ctx, name: string, signed: Signed): Promise<TriggerRow | Refused> {
  const trigger = await triggerOf(ctx, name);
  if (trigger?.type !== "webhook") return NOT_FOUND;
  if (!trigger.enabled) return { reply: reply(403, "Webhook disabled"), why: "It is switched off." };
  try {
    const why = await whyNot(ctx, trigger, signed);
    return why === undefined ? trigger : { reply: reply(401, "Invalid secret"), why };
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== "SECRET_KEY_WRONG") throw error;
    // It names a file of this machine. Another node, or this one with the right key, takes what is sent again.
    return { reply: reply(503, "Secrets cannot be checked here now. Try again."), why: error.message };
  }
}

async function triggerOf(ctx: Ctx, name: string): Promise<TriggerRow | undefined> {
  const { space_id } = ctx.actor;
  return TriggerName.safeParse(name).success ? store.findTrigger(ctx.db, { space_id, name }) : undefined;
}

/** Whoever sets up a webhook sees why nothing comes of it: its sender is told no more than that it may not. */
async function note(ctx: Ctx, name: string, why: string): Promise<void> {
  const isNoted = ({ refused_at }: TriggerRow) =>
    refused_at !== null && ctx.now() - Date.parse(refused_at) < NOTED_EVERY_MS;
  const known = await triggerOf(ctx, name);
  if (!known || isNoted(known)) return;
  await transact(ctx, async (ctx) => {
    const trigger = await triggerOf(ctx, name);
    if (!trigger || isNoted(trigger)) return;
    await store.noteRefusal(ctx.tx, { id: trigger.id, refused_at: isoNow(ctx), refused_for: why });
    await tellRefused(ctx, trigger);
  });
}

type Delivered = Required<Pick<Firing, "trigger" | "payload" | "delivery">>;

async function fireOnce(ctx: TxCtx, { trigger, payload, delivery }: Delivered): Promise<Reply> {
  const { id, name } = trigger;
  const before = delivery === undefined ? undefined : await store.findDelivery(ctx.tx, id, delivery);
  const run = before ?? (await fire(ctx, { trigger, source: "webhook", sender: "webhook", payload, delivery }));
  const skipped = run.state === "skipped" ? `was skipped (${run.reason})` : undefined;
  const message = before
    ? `Delivery ${delivery} was received before${skipped ? `, and ${skipped}` : ""}.`
    : `Trigger '${name}' ${skipped ?? "was fired"}.`;
  return { status: 200, body: { ok: true, trigger: name, message } };
}

/** A space may have ended meanwhile: what was in it is not told. */
async function unlessGone(answering: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answering();
  } catch (error) {
    if (error instanceof ParleyError && error.kind === "gone") return NOT_FOUND.reply;
    throw error;
  }
}

async function whyNot(ctx: Ctx, { id, query_secret }: TriggerRow, signed: Signed): Promise<string | undefined> {
  const place = { space_id: ctx.actor.space_id, trigger_id: id };
  if (!(await store.hasSecret(ctx.db, place))) return undefined;
  const rows = await store.listSecrets(ctx.db, { ...place, now: isoNow(ctx) });
  const secrets = rows.map(({ sealed }) => unseal(ctx.config, sealed, place));
  return whyNotProven(signed, { secrets, now: ctx.database.wall(), query_secret: query_secret === 1 });
}
