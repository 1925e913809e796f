import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { MarkRow, SubscriptionRow } from "../tables.ts";

type SubscriptionKey = Pick<SubscriptionRow, "principal_id" | "server" | "uri">;

const save = statement<SubscriptionRow & { space_id: string }>(
  `insert into subscriptions (space_id, principal_id, server, uri, is_pinned, is_present, active_fence, created_at, last_error)
   values (:space_id, :principal_id, :server, :uri, :is_pinned, :is_present, :active_fence, :created_at, :last_error)
   on conflict (space_id, principal_id, server, uri)
   do update set is_pinned = excluded.is_pinned, is_present = excluded.is_present, active_fence = excluded.active_fence,
   last_error = excluded.last_error`,
);
export const saveSubscription = (tx: Tx, row: SubscriptionRow): Promise<void> =>
  tx.run(save, { ...row, space_id: tx.space_id });

const remove = statement<SubscriptionKey & { space_id: string }>(
  `delete from subscriptions where space_id = :space_id and principal_id = :principal_id and server = :server
   and uri = :uri and is_pinned = 0`,
);
/** How many there were; one that is pinned stays. */
export const deleteSubscription = (tx: Tx, { principal_id, server, uri }: SubscriptionKey): Promise<number> =>
  tx.runCounted(remove, { space_id: tx.space_id, principal_id, server, uri });

const ofAgent = statement<{ space_id: string; principal_id: string }, SubscriptionRow>(
  `select principal_id, server, uri, is_pinned, is_present, active_fence, created_at, last_error from subscriptions
   where space_id = :space_id and principal_id = :principal_id order by server, uri`,
);
export const listSubscriptionsOf = (tx: Tx, principal_id: string): Promise<SubscriptionRow[]> =>
  tx.all(ofAgent, { space_id: tx.space_id, principal_id });

const mark = statement<SubscriptionKey & { space_id: string }, { last_id: number }>(
  `select last_id from resource_watermarks where space_id = :space_id and principal_id = :principal_id
   and server = :server and uri = :uri`,
);
export const findMark = async (
  db: Reader,
  { space_id, principal_id, server, uri }: SubscriptionKey & { space_id: string },
): Promise<number | null> => (await db.get(mark, { space_id, principal_id, server, uri }))?.last_id ?? null;

const saveOne = statement<MarkRow & { space_id: string }>(
  `insert into resource_watermarks (space_id, principal_id, server, uri, last_id, updated_at)
   values (:space_id, :principal_id, :server, :uri, :last_id, :updated_at)
   on conflict (space_id, principal_id, server, uri)
   do update set last_id = excluded.last_id, updated_at = excluded.updated_at`,
);
export const saveMark = (tx: Tx, row: MarkRow): Promise<void> => tx.run(saveOne, { ...row, space_id: tx.space_id });

type ListedRow = SubscriptionRow & {
  name: string;
  last_id: number | null;
  updated_at: string | null;
  seen_at: string | null;
  ended_at: string | null;
  fence: number | null;
};

const all = statement<{ space_id: string }, ListedRow>(
  `select s.principal_id, s.server, s.uri, s.is_pinned, s.is_present, s.active_fence, s.created_at, s.last_error, p.name, w.last_id, w.updated_at,
   r.seen_at, r.ended_at, r.fence from subscriptions s join principals p on p.id = s.principal_id
   left join resource_watermarks w on w.space_id = s.space_id and w.principal_id = s.principal_id
   and w.server = s.server and w.uri = s.uri
   left join runtimes r on r.space_id = s.space_id and r.principal_id = s.principal_id
   where s.space_id = :space_id order by p.name, s.server, s.uri`,
);
export const listSubscriptions = (db: Reader, space_id: string): Promise<ListedRow[]> => db.all(all, { space_id });
