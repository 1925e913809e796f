/** Requests from outside. What is answered with a 2xx is durable; said again under the same id it is one run. */
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { hit } from "../../../failpoints.ts";
import type { Reply } from "../../../route.ts";
import { TriggerName } from "../schema.ts";
import * as store from "../store.ts";
import type { TriggerRow } from "../tables.ts";
import { type Firing, fire } from "./firing.ts";
import { parsePayload } from "./payload.ts";
import { unseal } from "./secrets.ts";
import { deliveryOf, isProven, type Signed } from "./signing.ts";
import { isoNow } from "./wire.ts";

const reply = (status: number, error: string): Reply => ({ status, body: { error } });
const NOT_FOUND = reply(404, "Webhook not found");

export async function receive(ctx: Ctx, name: string, signed: Signed): Promise<Reply> {
  const known = await admit(ctx, name, signed);
  if ("status" in known) return known;
  const payload = parsePayload(signed.bytes, signed.header("content-type"));
  if ("error" in payload) return reply(400, payload.error);
  const answer = await unlessGone(
    transact(ctx, async (ctx) => {
      // Once more, under the lock: it may have been deleted, switched off or given another secret meanwhile.
      const trigger = await admit(ctx, name, signed);
      return "status" in trigger ? trigger : fireOnce(ctx, { trigger, payload, delivery: deliveryOf(signed) });
    }),
  );
  if (answer.status === 200) await hit("webhook.after_commit");
  return answer;
}

/** The trigger that this may fire, or why it may not. Asked first outside a transaction: a stranger takes no turn at the space. */
async function admit(ctx: Ctx, name: string, signed: Signed): Promise<TriggerRow | Reply> {
  const { space_id } = ctx.actor;
  const trigger = TriggerName.safeParse(name).success ? await store.findTrigger(ctx.db, { space_id, name }) : undefined;
  if (trigger?.type !== "webhook") return NOT_FOUND;
  if (!trigger.enabled) return reply(403, "Webhook disabled");
  return (await isLetIn(ctx, trigger, signed)) ? trigger : reply(401, "Invalid secret");
}

type Delivered = Required<Pick<Firing, "trigger" | "payload" | "delivery">>;

async function fireOnce(ctx: TxCtx, { trigger, payload, delivery }: Delivered): Promise<Reply> {
  const { id, name } = trigger;
  const was = delivery !== undefined && (await store.findDelivery(ctx.tx, id, delivery)) !== undefined;
  if (!was) await fire(ctx, { trigger, source: "webhook", sender: "webhook", payload, delivery });
  const message = was ? `Delivery ${delivery} was received before.` : `Trigger '${name}' was fired.`;
  return { status: 200, body: { ok: true, trigger: name, message } };
}

/** A space may have ended meanwhile: what was in it is not told. */
async function unlessGone(answering: Promise<Reply>): Promise<Reply> {
  try {
    return await answering;
  } catch (error) {
    if (error instanceof ParleyError && error.kind === "gone") return NOT_FOUND;
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
