/** What events of tasks hold, and what each reader is told of them: nobody else looks into their data. */
import { type Ctx, has, type TxCtx } from "../../../context.ts";
import { dataOf, defineEvent, type EventView, type FeedEvent, isAny } from "../../../feed/index.ts";
import { formatId } from "../../../ids.ts";
import type { BudgetRow } from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { needsOf } from "./wire.ts";

export const TOPIC = "tasks";
/** The stream of what can be claimed from now on. */
export const READY = "ready";

type TaskFacts = Pick<TaskRow, "status" | "channel" | "sender" | "attempt" | "held_for" | "priority"> & {
  task_id: string;
  /** Of one that can be claimed from now on. */
  needs?: readonly string[];
  /** Something is known to have led to it, such as a turn of an agent. */
  caused?: true;
};
type Claimed = { worker: string; lease_expires_at: string };
type Back = Pick<TaskRow, "worker" | "error" | "run_at">;
type Ended = Pick<TaskRow, "worker" | "error"> & { wakes: number };

const CREATED = "task.created";
const UPDATED = "task.updated";
export const taskCreated = defineTaskEvent(CREATED);
export const taskUpdated = defineTaskEvent<{ cancel_requested?: true }>(UPDATED);
export const taskClaimed = defineTaskEvent<Claimed>("task.claimed");
export const taskRequeued = defineTaskEvent("task.requeued");
export const taskReleased = defineTaskEvent<Partial<Back>>("task.released");
export const taskFailed = defineTaskEvent<Back>("task.failed");
export const taskCompleted = defineTaskEvent<Ended>("task.completed");
export const taskCancelled = defineTaskEvent<Ended>("task.cancelled");
export const taskDead = defineTaskEvent<Ended>("task.dead");
const isEnd = isAny<TaskFacts & Ended>([taskCompleted, taskCancelled, taskDead]);
const isTask = isAny<TaskFacts>([
  taskCreated,
  taskUpdated,
  taskClaimed,
  taskRequeued,
  taskReleased,
  taskFailed,
  taskCompleted,
  taskCancelled,
  taskDead,
]);

const taskForgotten = defineEvent<{ tasks: number }>({ topic: TOPIC, type: "task.forgotten" });
/** What makes one more or one less of the dead. */
export const OF_DEAD = [taskDead.type, taskRequeued.type, taskForgotten.type];

type Throttled = { account: string; throttled_until: string };
const taskThrottled = defineEvent<Throttled>({ topic: TOPIC, type: "task.throttled" });
const taskUnthrottled = defineEvent<{ account: string }>({ topic: TOPIC, type: "task.unthrottled" });
const isOfQuota = isAny<{ account: string }>([taskThrottled, taskUnthrottled]);

const budgetChanged = defineEvent<Pick<BudgetRow, "scope" | "name">>({ topic: TOPIC, type: "budget.changed" });

/** What each event of a task holds, and what this type of them does beside. */
function defineTaskEvent<More extends object>(type: string) {
  const event = defineEvent<TaskFacts & More>({ topic: TOPIC, type });
  return {
    ...event,
    /**
     * On the stream of what can be claimed where it can be, else on that of who sent it, which is where somebody waits
     * for its end.
     */
    tell(ctx: TxCtx, row: TaskRow, more: More): Promise<number> {
      const { id, status, held_for, sender_id } = row;
      const ready = status === "pending" && held_for === null && type !== UPDATED;
      const about = { stream: ready ? READY : sender_id, data: { ...factsOf(row, ready), ...more } };
      return event.append(ctx, type === CREATED ? { id, ...about } : { ref: id, ...about });
    },
  };
}

function factsOf(
  { id, status, channel, sender, attempt, held_for, priority, lane, cause }: TaskRow,
  ready: boolean,
): TaskFacts {
  const needs = needsOf(lane);
  return {
    task_id: formatId(id),
    ...{ status, channel, sender, attempt, held_for, priority },
    ...(ready && needs.length > 0 && { needs }),
    ...(cause !== null && { caused: true }),
  };
}

/** Dead ones were removed after their days. They are of many senders: it is for those alone who follow all. */
export const tellForgotten = (ctx: TxCtx, tasks: number): Promise<number> =>
  taskForgotten.append(ctx, { stream: "dead", data: { tasks } });

export const tellThrottled = (ctx: TxCtx, data: Throttled): Promise<number> =>
  taskThrottled.append(ctx, { stream: READY, data });

export const tellUnthrottled = (ctx: TxCtx, account: string): Promise<number> =>
  taskUnthrottled.append(ctx, { stream: READY, data: { account } });

export const tellBudget = (ctx: TxCtx, { id: ref, scope, name }: BudgetRow): Promise<number> =>
  budgetChanged.append(ctx, { stream: READY, ref, data: { scope, name } });

/** Whose budget changed is for those who may list budgets; waiting workers hear it from the feed itself. */
export const wire: EventView = (event) => (budgetChanged.is(event) ? null : event.data);

/** Of which account it is known by now how long its quota holds. */
export const accountIn = (event: FeedEvent): string => dataOf(event, isOfQuota).account;

/** Whether somebody may claim something from now on. */
export const isWork = ({ topic, stream }: FeedEvent): boolean => topic === TOPIC && stream === READY;

/** What the task needs that can be claimed from then on; undefined of what tells of no task. */
export const needsIn = (event: FeedEvent): readonly string[] | undefined =>
  isTask(event) ? (event.data.needs ?? []) : undefined;

/** Whether one of these tasks is over. */
export const isEndOf = (event: FeedEvent, ids: readonly number[]): boolean => isEnd(event) && ids.includes(event.ref);

/** Who had sent the task that is over, and how many wait for its end. */
export function endIn(event: FeedEvent): { sender: string | null; wakes: number } {
  const { sender, wakes } = dataOf(event, isEnd);
  return { sender, wakes };
}

/** Whether something is known to have led to the task, such as a turn of an agent. */
export const isCaused = (event: FeedEvent): boolean => dataOf(event, isTask).caused === true;

/** People and workers follow all; who only hands out work, what becomes of its own. */
export const followable = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...FOLLOW_ALL) ? null : [ctx.actor.principal_id];
const FOLLOW_ALL = ["admin", "human", "observer", "agent", "orchestrator", "worker"] as const;
