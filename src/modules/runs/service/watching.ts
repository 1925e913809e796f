/** Starts a worker when tasks wait and none is started, and an agent that sleeps when it has mail. */
import { z } from "zod";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { planBy, plan as planDue, unplan } from "../../../due/index.ts";
import type { Consumer, FeedEvent } from "../../../feed/index.ts";
import type { DueHandler } from "../../../module.ts";
import { FROM_THE_TOP } from "../../../pages.ts";
import { findStartable } from "../../identity/index.ts";
import { hasUnread, mailboxOf, NEWS } from "../../mail/index.ts";
import { accountIn, hasReady, hasWork, listSpacesWithWork, quotaEnd } from "../../tasks/index.ts";
import type { Can } from "../schema.ts";
import * as store from "../store.ts";
import { endedIn, runEnded, runRequeued, TOPIC } from "./events.ts";
import { isConfigured } from "./nodes.ts";
import { plan } from "./planning.ts";
import { isoAt } from "./wire.ts";

const WATCH = "run.watch";
const WATCH_MAIL = "run.watch_mail";
const WORKER = "worker";
/** So often it is looked whether tasks wait, whatever was told. */
const SWEEP_MS = 30_000;
/** A worker that ends without having taken what waits is not started again at once. */
const LEAST_APART_MS = 10_000;
/** A program is started, which takes far longer. */
const THROTTLE_MS = 250;

const WORK =
  "Tasks wait for you. Take the next one with get_next_task, do it, and report with task_complete, or task_fail where it cannot be done. Go on until there are none.";
const READ_MAIL = "You have new mail. Read it with mail_inbox and mail_read, and do what it asks for, or answer it.";

const NEWEST = { before_id: FROM_THE_TOP, limit: 1 };
const worker = { kind: "worker", name: WORKER } as const;

/** At most one waits or runs: what comes meanwhile is seen when it is over. Where there is none, `lookAgain` sees to it later. */
async function lookForWork(ctx: TxCtx): Promise<void> {
  if (!(await isConfigured(ctx, worker))) return;
  if (!(await hasWork(ctx))) return unplan(ctx, { kind: WATCH, ref: 0 });
  await planDue(ctx, { kind: WATCH, ref: 0, at: ctx.now() + SWEEP_MS });
  const { space_id } = ctx.tx;
  // What waits may wait for a quota or a budget: that it is over is seen the next time.
  if (!(await hasReady(ctx)) || (await store.hasLive(ctx.tx, { ...worker, space_id }))) return;
  const [last] = await store.listRuns(ctx.tx, { space_id, ...worker, state: null, ...NEWEST });
  const apart = last?.started_at ? Date.parse(last.started_at) + LEAST_APART_MS : 0;
  const not_before = last?.state === "skipped" || apart <= ctx.now() ? undefined : isoAt(apart);
  await plan(ctx, { ...worker, session_mode: "ephemeral", prompt: WORK, not_before });
}

/**
 * A node can start something else than before. Not in the transaction that says so: a task that is stored meanwhile is
 * either seen here, or looked at by who knows of the node.
 */
export const lookAgain = (ctx: Ctx, can: Can): Promise<void> =>
  transact(
    ctx,
    async (ctx) => {
      const spaces = can.worker ? await listSpacesWithWork(ctx) : [];
      for (const space_id of spaces) await planBy(ctx, { kind: WATCH, ref: 0, at: ctx.now(), space_id });
    },
    { space_id: HUB_SPACE },
  );

const MailWatch = z.object({ name: z.string(), after: z.number() });
type MailWatch = z.infer<typeof MailWatch>;

/**
 * Starts an agent that sleeps for unread mail behind a position, unless its last run was claimed after that came. At most
 * one waits or runs: what comes meanwhile is seen when it is over. An agent that was heard of of late may have fallen
 * asleep since, and nobody says so: it is looked at again when it has been silent for long enough.
 */
async function lookForMail(ctx: TxCtx, { name, after }: MailWatch): Promise<void> {
  const agent = { kind: "mail", name } as const;
  const { space_id } = ctx.tx;
  if (!(await isConfigured(ctx, agent)) || (await store.hasLive(ctx.tx, { ...agent, space_id }))) return;
  const startable = await findStartable(ctx, name);
  if (!startable) return;
  const { principal_id, inbox_id, asleep_from } = startable;
  const [last] = await store.listRuns(ctx.tx, { space_id, ...agent, state: null, ...NEWEST });
  if (!(await hasUnread(ctx, { principal_id, after: Math.max(after, last?.claimed_id ?? 0) }))) return;
  if (asleep_from > ctx.now())
    return planDue(ctx, { kind: WATCH_MAIL, ref: inbox_id, at: asleep_from, payload: { name, after } });
  await plan(ctx, { ...agent, session_mode: "persistent", prompt: READ_MAIL, retries: 5 });
}

/** What came while it ran. One that never began was taken back, or cannot be started: it is no reason to start another. */
async function lookAfterRun(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { kind, name } = endedIn(event);
  if (kind === "worker") return lookForWork(ctx);
  if (kind !== "mail") return;
  const run = await store.findRun(ctx.tx, { space_id: ctx.tx.space_id, id: event.ref });
  if (run && run.claimed_id !== null) await lookForMail(ctx, { name, after: run.claimed_id });
}

/** What is known of an account's quota has changed: what waits for it waits until then, or no longer. */
async function moveWithQuota(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const account = accountIn(event);
  const not_before = (await quotaEnd(ctx, account)) ?? isoAt(ctx.now());
  for (const row of await store.listForQuota(ctx.tx, account)) {
    if (row.not_before === not_before) continue;
    const moved = { ...row, not_before };
    await store.saveRun(ctx.tx, moved);
    await runRequeued.tell(ctx, moved, { not_before });
  }
}

export const watchingDue: Record<string, DueHandler> = {
  [WATCH]: lookForWork,
  [WATCH_MAIL]: (ctx, { payload }) => lookForMail(ctx, MailWatch.parse(payload)),
};

const TASKS = ["task.created", "task.requeued", "task.released", "task.failed"];

export const watchers: Record<string, Consumer> = {
  "runs.tasks": { topic: "tasks", types: TASKS, run: lookForWork, throttle_ms: THROTTLE_MS },
  "runs.workers": { topic: TOPIC, types: [runEnded.type], run: lookAfterRun, throttle_ms: THROTTLE_MS },
  "runs.quotas": { topic: "tasks", types: ["task.throttled", "task.unthrottled"], run: moveWithQuota },
  "runs.mail": {
    topic: "mail",
    types: NEWS,
    throttle_ms: THROTTLE_MS,
    // The copy lies at the event's own position.
    run: (ctx, event) => lookForMail(ctx, { name: mailboxOf(event), after: event.id - 1 }),
  },
};
