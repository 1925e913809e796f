import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { ownHolder } from "../../identity/index.ts";
import type { Publish, Sent, Subscribe, TopicList, Topics } from "../schema.ts";
import * as store from "../store.ts";
import { deliver, stillHere } from "./sending.ts";

/** More would make one publication too long a transaction for everybody else. */
const MOST_SUBSCRIBERS = 1000;
/** As many topics as one mailbox follows, and as one principal has followed by whomever it acts for. */
const MOST_TOPICS = 200;

/** To whoever is subscribed at this moment, but the publisher. */
export function publish(ctx: Ctx, { topic, ...letter }: Publish): Promise<Sent> {
  return transact(ctx, async (ctx) => {
    const sender = await ownHolder(ctx);
    const subscribers = await store.listSubscribers(ctx.tx, { space_id: ctx.tx.space_id, topic });
    const recipients = await stillHere(
      ctx,
      subscribers.filter((name) => name !== sender.name),
    );
    return deliver(ctx, { ...letter, sender, recipients, topic, thread_id: null, in_reply_to: null });
  });
}

export function subscribe(ctx: Ctx, { topic, on }: Subscribe): Promise<{ topic: string; subscribed: boolean }> {
  return transact(ctx, async (ctx) => {
    const { principal_id } = await ownHolder(ctx);
    const { space_id } = ctx.tx;
    const by_principal_id = ctx.actor.principal_id;
    if (!on) await store.deleteSubscription(ctx.tx, { topic, principal_id });
    else if (!(await store.isSubscribed(ctx.tx, { space_id, topic, principal_id }))) {
      await refuseTooMany(ctx, { topic, principal_id });
      const created_at = new Date(ctx.now()).toISOString();
      await store.insertSubscription(ctx.tx, { topic, principal_id, by_principal_id, created_at });
    }
    return { topic, subscribed: on };
  });
}

async function refuseTooMany(ctx: TxCtx, { topic, principal_id }: { topic: string; principal_id: string }) {
  const { space_id } = ctx.tx;
  if ((await store.listSubscribers(ctx.tx, { space_id, topic })).length >= MOST_SUBSCRIBERS)
    throw new ParleyError("TOO_MANY_SUBSCRIPTIONS", `A topic has at most ${MOST_SUBSCRIBERS} subscribers.`);
  const counted = { space_id, most: MOST_TOPICS };
  const of = await store.countTopicsOf(ctx.tx, { ...counted, principal_id });
  const by = await store.countTopicsBy(ctx.tx, { ...counted, by_principal_id: ctx.actor.principal_id });
  if (Math.max(of, by) >= MOST_TOPICS)
    throw new ParleyError("LIMIT_REACHED", `You follow ${MOST_TOPICS} topics already. End one with mail_subscribe.`, {
      details: { limit: MOST_TOPICS },
    });
}

export async function topics(ctx: Ctx, only: Topics): Promise<TopicList> {
  const { principal_id } = await ownHolder(ctx);
  const rows = await store.listTopics(ctx.db, { space_id: ctx.actor.space_id, principal_id });
  const all = rows.map(({ topic, subscribers, subscribed }) => ({
    topic,
    subscribers: Number(subscribers),
    subscribed: Number(subscribed) > 0,
  }));
  return { topics: all.filter(({ subscribed }) => subscribed || !only.subscribed) };
}
