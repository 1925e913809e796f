import { z } from "zod";
import type { TxCtx } from "../context.ts";
import { DueFailure, plan, replanAsIs } from "../due/plan.ts";
import { findDue } from "../due/store.ts";
import type { Due, DueHandler } from "../module.ts";
import { because } from "./causes.ts";
import type { FeedEvent } from "./event.ts";
import { MOST_SCANNED } from "./follow.ts";
import { eventsOf, findWatermark, listRowsOf, saveWatermark } from "./store.ts";

/** Events that one transaction handles at most, and for how long. */
const MOST_EVENTS = 100;
const MOST_MS = 5;
const HOUR_MS = 3600 * 1000;

/** What a module does after events, in transactions of its own: each event once and in order, whatever comes between. */
export interface Consumer {
  topic: string;
  types: readonly string[];
  run: (ctx: TxCtx, event: FeedEvent) => Promise<void>;
  /** It is run no more often than this: what happens meanwhile is handled together. */
  throttle_ms?: number;
}

export const kindOf = (name: string): string => `consume.${name}`;

const Payload = z.object({
  /** Where to begin if there is no mark yet. */
  after: z.number().default(0),
  /** The event that failed last: handled by itself. */
  failed: z.number().optional(),
});

interface Named {
  name: string;
  consumer: Consumer;
}

interface Page {
  events: FeedEvent[];
  /** Everything up to here has been looked at once they are handled. */
  last_id: number;
  more: boolean;
}

/** The rows of `due` that hand out events, and what happens to an event that is given up: the rest goes on without it. */
export function consumerDue(
  consumers: ReadonlyMap<string, Consumer>,
  clock = () => performance.now(),
): { handlers: Record<string, DueHandler>; died: Map<string, DueHandler> } {
  const entries = [...consumers].map(([name, consumer]) => [kindOf(name), name, consumer] as const);
  return {
    handlers: Object.fromEntries(
      entries.map(([kind, name, consumer]) => [kind, (ctx, due) => consume(ctx, due, { name, consumer, clock })]),
    ),
    died: new Map(entries.map(([kind, name, consumer]) => [kind, (ctx, due) => park(ctx, due, { name, consumer })])),
  };
}

async function consume(
  ctx: TxCtx,
  due: Due,
  { name, consumer, clock }: Named & { clock: () => number },
): Promise<void> {
  const { after, failed } = Payload.parse(due.payload ?? {});
  // Under the space's lock: nobody else moves it meanwhile.
  const mark = (await findWatermark(ctx.tx, { ...markOf(name), space_id: ctx.tx.space_id })) ?? after;
  // A write may fail with the COMMIT: then nothing says which event it was for, and each is handled by itself.
  const alone = due.attempt > 0 && failed === undefined;
  const whole = await readPage(ctx, consumer, mark);
  const page = alone ? firstOf(whole) : upTo(failed, whole);
  const started = clock();
  let last_id = mark;
  let cut = false;
  for (const event of page.events) {
    cut = last_id > mark && clock() - started > MOST_MS;
    if (cut) break;
    await handle(ctx, event, { due, run: consumer.run, mark: after });
    last_id = event.id;
  }
  last_id = cut ? last_id : page.last_id;
  if (last_id > mark) await saveMark(ctx, name, last_id);
  const isNext = failed !== undefined && last_id < failed;
  if (isNext) await replanAsIs(ctx, { kind: kindOf(name), ref: 0, due });
  else if (alone && page.more) await replanAsIs(ctx, { kind: kindOf(name), ref: 0, due: { ...due, attempt: 1 } });
  else if (cut || page.more) await plan(ctx, { kind: kindOf(name), ref: 0, at: ctx.now() });
}

async function handle(
  ctx: TxCtx,
  event: FeedEvent,
  { due, run, mark }: { due: Due; run: Consumer["run"]; mark: number },
): Promise<void> {
  try {
    await run(because(ctx, event.id), event);
  } catch (error) {
    const before = Payload.parse(due.payload ?? {}).failed;
    throw new DueFailure({ after: mark, failed: event.id }, { attempt: before === event.id ? due.attempt : 0, error });
  }
}

async function readPage(ctx: TxCtx, { topic, types }: Consumer, after_id: number): Promise<Page> {
  const limits = { scanned: MOST_SCANNED, wanted: MOST_EVENTS };
  const { space_id } = ctx.tx;
  const { rows, last_id, more } = await listRowsOf(ctx.tx, { space_id, topics: [topic], after_id, limits });
  const events = rows.flatMap(eventsOf).filter(({ id, type }) => id > after_id && types.includes(type));
  const next = events[MOST_EVENTS];
  return next ? { events: events.slice(0, MOST_EVENTS), last_id: next.id - 1, more: true } : { events, last_id, more };
}

/** What comes before the one that failed is handled without it, and then that one by itself. */
function upTo(failed: number | undefined, page: Page): Page {
  if (failed === undefined) return page;
  const before = page.events.filter(({ id }) => id < failed);
  if (before.length > 0) return { events: before, last_id: Math.min(failed - 1, page.last_id), more: true };
  const [first] = page.events;
  return first?.id === failed ? { events: [first], last_id: failed, more: true } : page;
}

function firstOf({ events, last_id, more }: Page): Page {
  const [first, next] = events;
  return first && next ? { events: [first], last_id: first.id, more: true } : { events, last_id, more };
}

/** The event stays among what is dead. Without its id it is the next one: each was handled by itself. */
async function park(ctx: TxCtx, { payload }: Due, { name, consumer }: Named): Promise<void> {
  const { failed, after } = Payload.parse(payload ?? {});
  const mark = (await findWatermark(ctx.tx, { ...markOf(name), space_id: ctx.tx.space_id })) ?? after;
  const given_up = failed ?? (await readPage(ctx, consumer, mark)).events[0]?.id;
  if (given_up !== undefined) await saveMark(ctx, name, given_up);
  // What failed with no event was something else, which may have passed by then.
  const at = ctx.now() + (given_up === undefined ? HOUR_MS : 0);
  await plan(ctx, { kind: kindOf(name), ref: 0, at, payload: { after } });
}

const markOf = (name: string) => ({ subscriber_id: kindOf(name), topic: "feed", stream: "" });

const saveMark = (ctx: TxCtx, name: string, last_id: number): Promise<void> =>
  saveWatermark(ctx.tx, { ...markOf(name), last_id, updated_at: new Date(ctx.now()).toISOString() });

/** The lowest position from which one of them still has to read on; undefined when all are through. */
export async function lowestMark(ctx: TxCtx, names: readonly string[]): Promise<number | undefined> {
  const { space_id } = ctx.tx;
  const marks: number[] = [];
  for (const name of names) {
    const row = await findDue(ctx.tx, { kind: kindOf(name), ref: 0, now: EVER });
    if (!row) continue;
    const { after } = Payload.parse(row.payload === null ? {} : JSON.parse(row.payload));
    marks.push((await findWatermark(ctx.tx, { ...markOf(name), space_id })) ?? after);
  }
  return marks.length > 0 ? Math.min(...marks) : undefined;
}

const EVER = "9999-12-31T23:59:59.999Z";
