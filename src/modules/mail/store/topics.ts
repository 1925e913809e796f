import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

interface Subscription {
  topic: string;
  principal_id: string;
}

const add = statement<Subscription & { space_id: string; created_at: string }>(
  `insert into mail_subscriptions (space_id, topic, principal_id, created_at)
   values (:space_id, :topic, :principal_id, :created_at) on conflict (space_id, topic, principal_id) do nothing`,
);
export const insertSubscription = (tx: Tx, args: Subscription & { created_at: string }): Promise<number> =>
  tx.run(add, { ...args, space_id: tx.space_id });

const remove = statement<Subscription & { space_id: string }>(
  `delete from mail_subscriptions
   where space_id = :space_id and topic = :topic and principal_id = :principal_id`,
);
export const deleteSubscription = (tx: Tx, args: Subscription): Promise<number> =>
  tx.run(remove, { ...args, space_id: tx.space_id });

type Subscriber = { principal_id: string; name: string; kind: "human" | "agent" | "service" };

const subscribers = statement<{ space_id: string; topic: string }, Subscriber>(
  `select p.id as principal_id, p.name, p.kind from mail_subscriptions s join principals p on p.id = s.principal_id
   where s.space_id = :space_id and s.topic = :topic order by p.name`,
);
export const listSubscribers = (db: Reader, args: { space_id: string; topic: string }): Promise<Subscriber[]> =>
  db.all(subscribers, args);

type TopicRow = { topic: string; subscribers: number; subscribed: number };

const topics = statement<{ space_id: string; principal_id: string }, TopicRow>(
  `select topic, count(*) as subscribers, sum(case when principal_id = :principal_id then 1 else 0 end) as subscribed
   from mail_subscriptions where space_id = :space_id group by topic order by topic`,
);
export const listTopics = (db: Reader, args: { space_id: string; principal_id: string }): Promise<TopicRow[]> =>
  db.all(topics, args);
