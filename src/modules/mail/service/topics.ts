import { type Ctx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { ownHolder } from "../../identity/index.ts";
import type { Publish, Sent, Subscribe, TopicList } from "../schema.ts";
import * as store from "../store.ts";
import { deliver, stillHere } from "./sending.ts";

/** More would make one publication too long a transaction for everybody else. */
const MOST_SUBSCRIBERS = 1000;

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
    if (!on) await store.deleteSubscription(ctx.tx, { topic, principal_id });
    else if ((await store.listSubscribers(ctx.tx, { space_id, topic })).length >= MOST_SUBSCRIBERS)
      throw new ParleyError("TOO_MANY_SUBSCRIPTIONS", `A topic has at most ${MOST_SUBSCRIBERS} subscribers.`);
    else
      await store.insertSubscription(ctx.tx, {
        topic,
        principal_id,
        created_at: new Date(ctx.now()).toISOString(),
      });
    return { topic, subscribed: on };
  });
}

export async function topics(ctx: Ctx): Promise<TopicList> {
  const { principal_id } = await ownHolder(ctx);
  const rows = await store.listTopics(ctx.db, { space_id: ctx.actor.space_id, principal_id });
  return {
    topics: rows.map(({ topic, subscribers, subscribed }) => ({
      topic,
      subscribers: Number(subscribers),
      subscribed: Number(subscribed) > 0,
    })),
  };
}
