import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";

interface Subscription {
  topic: string;
  principal_id: string;
}

type NewSubscription = Subscription & { by_principal_id: string; created_at: string };

const add = statement<NewSubscription & { space_id: string }>(
  `insert into mail_subscriptions (space_id, topic, principal_id, by_principal_id, created_at)
   values (:space_id, :topic, :principal_id, :by_principal_id, :created_at) on conflict (space_id, topic, principal_id) do nothing`,
);
export const insertSubscription = (tx: Tx, args: NewSubscription): Promise<void> =>
  tx.run(add, { ...args, space_id: tx.space_id });

const remove = statement<Subscription & { space_id: string }>(
  `delete from mail_subscriptions
   where space_id = :space_id and topic = :topic and principal_id = :principal_id`,
);
export const deleteSubscription = (tx: Tx, args: Subscription): Promise<void> =>
  tx.run(remove, { ...args, space_id: tx.space_id });

const one = statement<Subscription & { space_id: string }, { found: number }>(
  `select 1 as found from mail_subscriptions
   where space_id = :space_id and topic = :topic and principal_id = :principal_id`,
);
export const isSubscribed = async (db: Reader, args: Subscription & { space_id: string }): Promise<boolean> =>
  (await db.get(one, args)) !== undefined;

type Counted = { space_id: string; most: number };

const topicsOf = statement<Counted & { principal_id: string }, { count: number }>(
  `select count(*) as count from (select topic from mail_subscriptions
   where space_id = :space_id and principal_id = :principal_id limit :most) as counted`,
);
export const countTopicsOf = async (db: Reader, args: Counted & { principal_id: string }): Promise<number> =>
  Number((await db.get(topicsOf, args))?.count ?? 0);

const topicsBy = statement<Counted & { by_principal_id: string }, { count: number }>(
  `select count(*) as count from (select topic from mail_subscriptions
   where space_id = :space_id and by_principal_id = :by_principal_id limit :most) as counted`,
);
/** Those that a principal had followed, by itself and by others. */
export const countTopicsBy = async (db: Reader, args: Counted & { by_principal_id: string }): Promise<number> =>
  Number((await db.get(topicsBy, args))?.count ?? 0);

/** An agent that was deleted follows nothing any more. */
const FOLLOWING = `mail_subscriptions s where s.space_id = :space_id and not exists (select 1 from agents a
   where a.space_id = s.space_id and a.principal_id = s.principal_id and a.deleted_at is not null)`;

const subscribers = statement<{ space_id: string; topic: string }, { name: string }>(
  `select (select p.name from principals p where p.id = s.principal_id) as name from ${FOLLOWING} and s.topic = :topic`,
);
/** By name, in no order. */
export const listSubscribers = async (db: Reader, args: { space_id: string; topic: string }): Promise<string[]> =>
  (await db.all(subscribers, args)).map(({ name }) => name);

type TopicRow = { topic: string; subscribers: number; subscribed: number };

const topics = statement<{ space_id: string; principal_id: string }, TopicRow>(
  `select topic, count(*) as subscribers, sum(case when principal_id = :principal_id then 1 else 0 end) as subscribed
   from ${FOLLOWING} group by topic order by topic`,
);
export const listTopics = (db: Reader, args: { space_id: string; principal_id: string }): Promise<TopicRow[]> =>
  db.all(topics, args);
