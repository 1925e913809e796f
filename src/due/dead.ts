import { z } from "zod";
import type { TxCtx } from "../context.ts";
import { HUB_SPACE, MAIN_SPACE } from "../db/open.ts";
import { dataOf, defineEvent } from "../feed/define.ts";
import type { FeedEvent } from "../feed/event.ts";
import type { DueHandler } from "../module.ts";
import { cut, storable } from "../text.ts";
import { plan } from "./plan.ts";
import { type DueRow, deleteDead, deleteDue, insertDead } from "./store.ts";

const FORGET = "due.forget";
const TELL = "due.tell";
const KEPT_MS = 90 * 24 * 3600 * 1000;
/** Of an error's words so much is kept: they may hold whatever was being handled. */
const MOST_WORDS = 500;

/** What an event says of a row that is not tried again. */
const Died = z.object({ kind: z.string(), ref: z.number(), attempts: z.number() });
type Died = z.infer<typeof Died>;

const died = defineEvent<Died>({ topic: "due", type: "due.died" });

export const diedIn = (event: FeedEvent): Died => dataOf(event, died.is);

/** Takes it out of what is due, and keeps it with what went wrong. */
export async function bury(ctx: TxCtx, { kind, ref, at, payload, attempt }: DueRow, error: unknown): Promise<void> {
  const words = cut(storable(error instanceof Error ? error.message : String(error)), MOST_WORDS);
  const what = { kind, ref, attempts: attempt };
  await deleteDue(ctx.tx, { kind, ref });
  // The hub's own space has no people: those of the permanent one run the hub.
  const elsewhere = ctx.tx.space_id === HUB_SPACE;
  const id = elsewhere ? ctx.tx.takeId() : await tell(ctx, what);
  if (elsewhere) await plan(ctx, { kind: TELL, ref: id, at: ctx.now(), payload: what, space_id: MAIN_SPACE });
  await insertDead(ctx.tx, { id, ...what, at, payload, error: words, died_at: new Date(ctx.now()).toISOString() });
  await plan(ctx, { kind: FORGET, ref: id, at: ctx.now() + KEPT_MS });
}

const tell = (ctx: TxCtx, data: Died): Promise<number> => died.append(ctx, { stream: "", data });

export const deadDue: Record<string, DueHandler> = {
  [FORGET]: (ctx, { ref }) => deleteDead(ctx.tx, ref),
  [TELL]: async (ctx, { payload }) => void (await tell(ctx, Died.parse(payload))),
};
