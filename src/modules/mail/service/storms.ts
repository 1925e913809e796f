import { Buckets } from "../../../buckets.ts";
import type { TxCtx } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { ParleyError } from "../../../errors.ts";
import type { HolderRow } from "../../identity/index.ts";
import type { Priority } from "../schema.ts";

/** As much as one agent sends to one recipient: so many at once, and then one a second. */
export const MOST_AT_ONCE = 120;
/** As many as agents send in one thread before a person has a word: and then one every ten seconds. */
export const MOST_IN_THREAD = 300;
/** Urgent mails of one agent to one recipient within an hour. What is urgent all the time is not. */
export const MOST_URGENT = 20;

interface Storm {
  sent: Buckets;
  threads: Buckets;
  urgent: Buckets;
}

const storms = new WeakMap<Database, Storm>();

/** Counted by each node, as calls are: it costs no statement. */
function stormOf({ database }: TxCtx): Storm {
  const known = storms.get(database) ?? {
    sent: new Buckets({ rate: 1, burst: MOST_AT_ONCE }),
    threads: new Buckets({ rate: 1 / 10, burst: MOST_IN_THREAD }),
    urgent: new Buckets({ rate: MOST_URGENT / 3600, burst: MOST_URGENT }),
  };
  storms.set(database, known);
  return known;
}

interface Sending {
  sender: HolderRow;
  recipients: readonly HolderRow[];
  thread_id: number | null;
}

/**
 * Refuses what an agent sends to somebody, or agents to a thread, faster than anybody reads. It is counted for whoever
 * holds the token: an orchestrator has no more by speaking for many. People are not counted, and refill a thread.
 */
export function guardStorms(ctx: TxCtx, { sender, recipients, thread_id }: Sending): void {
  const { sent, threads } = stormOf(ctx);
  const thread = `${ctx.tx.space_id} ${thread_id}`;
  if (sender.kind === "human") {
    threads.refill(thread);
    return;
  }
  const now = ctx.now();
  for (const { principal_id, name } of recipients) {
    const retry_after = sent.wait(pairOf(ctx, principal_id), 1, now);
    if (retry_after > 0) throw slowed(`You send ${name} more than anybody reads.`, retry_after);
  }
  const retry_after = thread_id === null ? 0 : threads.take(thread, 1, now);
  if (retry_after > 0) throw slowed("Agents send more to this thread than anybody reads.", retry_after);
  for (const { principal_id } of recipients) sent.take(pairOf(ctx, principal_id), 1, now);
}

/** Urgent as long as the sender has been so sparingly with each of the recipients; else it is sent as any other. */
export function rationed(
  ctx: TxCtx,
  { sender, recipients, priority }: Omit<Sending, "thread_id"> & { priority: Priority },
): Priority {
  if (priority !== "urgent" || sender.kind === "human") return priority;
  const { urgent } = stormOf(ctx);
  const now = ctx.now();
  const keys = recipients.map(({ principal_id }) => pairOf(ctx, principal_id));
  if (keys.some((key) => urgent.wait(key, 1, now) > 0)) return "normal";
  for (const key of keys) urgent.take(key, 1, now);
  return priority;
}

const pairOf = ({ tx, actor }: TxCtx, recipient_id: string): string =>
  `${tx.space_id} ${actor.principal_id} ${recipient_id}`;

const slowed = (why: string, retry_after: number): ParleyError =>
  new ParleyError("RATE_LIMITED", `${why} Try again in ${retry_after} s.`, { details: { retry_after } });
