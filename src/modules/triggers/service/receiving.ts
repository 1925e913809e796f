/** Requests from outside. What is answered with a 2xx is durable; said again under the same id it is one run. */
import { type Ctx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import type { Reply } from "../../../route.ts";
import { TriggerName } from "../schema.ts";
import * as store from "../store.ts";
import type { TriggerRow } from "../tables.ts";
import { fire } from "./firing.ts";
import { parsePayload } from "./payload.ts";
import { unseal } from "./secrets.ts";
import { deliveryOf, isProven, type Signed } from "./signing.ts";
import { isoNow } from "./wire.ts";

const reply = (status: number, error: string): Reply => ({ status, body: { error } });
const NOT_FOUND = reply(404, "Webhook not found");

export async function receive(ctx: Ctx, name: string, signed: Signed): Promise<Reply> {
  const { space_id } = ctx.actor;
  const trigger = TriggerName.safeParse(name).success ? await store.findTrigger(ctx.db, { space_id, name }) : undefined;
  if (trigger?.type !== "webhook") return NOT_FOUND;
  if (!trigger.enabled) return reply(403, "Webhook disabled");
  if (!(await isLetIn(ctx, trigger, signed))) return reply(401, "Invalid secret");
  const payload = parsePayload(signed.bytes, signed.header("content-type"));
  if ("error" in payload) return reply(400, payload.error);
  const delivery = deliveryOf(signed);
  const was = await isRepeated(ctx, async (ctx) => {
    if (delivery !== undefined && (await store.findDelivery(ctx.tx, trigger.id, delivery))) return true;
    await fire(ctx, { trigger, source: "webhook", sender: "webhook", payload, delivery });
    return false;
  });
  if (was === undefined) return NOT_FOUND;
  await hit("webhook.after_commit");
  const message = was ? `Delivery ${delivery} was received before.` : `Trigger '${name}' was fired.`;
  return { status: 200, body: { ok: true, trigger: name, message } };
}

/** Undefined for a space that has ended meanwhile: what was in it is not told. */
async function isRepeated(ctx: Ctx, work: Parameters<typeof transact<boolean>>[1]): Promise<boolean | undefined> {
  try {
    return await transact(ctx, work);
  } catch (error) {
    if (error instanceof ParleyError && error.kind === "gone") return undefined;
    throw error;
  }
}

async function isLetIn(ctx: Ctx, { id, query_secret }: TriggerRow, signed: Signed): Promise<boolean> {
  const place = { space_id: ctx.actor.space_id, trigger_id: id };
  if (!(await store.hasSecret(ctx.db, place))) return true;
  const rows = await store.listSecrets(ctx.db, { ...place, now: isoNow(ctx) });
  const secrets = rows.map(({ sealed }) => unseal(ctx.config, sealed, place));
  return isProven(signed, { secrets, now: ctx.database.wall(), query_secret: query_secret === 1 });
}
