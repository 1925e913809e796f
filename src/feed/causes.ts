/**
 * What led to what. Nothing is guessed: a cause was declared by whoever acts, or is what was answered or reacted to. One
 * that the actor may not see is never taken, and whoever asks sees of each step no more than they could read themselves.
 */
import type { Actor, Ctx } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { Id, parseId } from "../ids.ts";
import type { Explained } from "../module.ts";
import type { Cause } from "./event.ts";
import { findEvent } from "./store.ts";

/** For what the hub does by itself when something has happened. */
export const because = <C extends Ctx>(ctx: C, id: number): C => ({ ...ctx, cause: { id, how: "reaction" } });

/** What the token of a run or a turn stands for. */
export const credentialCause = ({ run_cause }: Actor): Cause | undefined =>
  run_cause === undefined ? undefined : { id: run_cause, how: "credential" };

/**
 * The cause that somebody declares. Looked up before the transaction, among what is durable: so it is smaller than what
 * it leads to. What is unknown, still to come or not for the actor's eyes is left out, and nobody is told which it was.
 */
export async function declaredCause(ctx: Ctx, text: string): Promise<Cause | undefined> {
  if (!Id.safeParse(text).success)
    throw new ParleyError("INVALID_ARGUMENT", "A cause is the id of a message, a mail or another event.");
  const id = parseId(text);
  return (await explain(ctx, id))?.shown ? { id, how: "declared" } : undefined;
}

/** What has this id; undefined for what never was, or is no longer kept. */
export async function explain(ctx: Ctx, id: number): Promise<Explained | undefined> {
  for (const { find } of ctx.explainers) {
    const found = await find?.(ctx, id);
    if (found) return found;
  }
  const found = await findEvent(ctx.db, { space_id: ctx.actor.space_id, id });
  if (!found) return undefined;
  const { event, by, cause } = found;
  const explainer = ctx.explainers.find(({ topics }) => topics.includes(event.topic));
  if (!(await explainer?.sees(ctx, event))) return { shown: null, cause };
  const about = event.ref === id ? undefined : await explainer?.find?.(ctx, event.ref);
  return { shown: { kind: event.type, by, text: about?.shown?.text ?? "" }, cause };
}
