import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { plan, unplan } from "../../../due/index.ts";
import { ParleyError } from "../../../errors.ts";
import { formatId, parseId } from "../../../ids.ts";
import type { DueHandler, NeedProvider } from "../../../module.ts";
import { parseTime } from "../../../times.ts";
import type { PutOff } from "../schema.ts";
import * as store from "../store.ts";
import { tellNeed } from "./events.ts";
import { putOffBy } from "./needs.ts";

const AGAIN = "need.again";
/** As much as one person puts off at a time: each list looks past all of it. */
const MOST_PUT_OFF = 200;

/** As a person types it on a command line. */
const NOW = "now";

/** Not now: it is out of this person's list until then, and of nobody else's; whoever asks is told so. */
export function putOff(ctx: Ctx, { id, until }: PutOff): Promise<{ id: string; until: string | null }> {
  return transact(ctx, async (ctx) => {
    const { space_id, principal_id } = ctx.actor;
    const ref = parseId(id);
    if (until === null || until === NOW) return takeBack(ctx, ref);
    const at = parseTime(ctx, until, { what: "until" });
    const { tellPending } = await providerOf(ctx, ref);
    const known = await store.findLater(ctx.tx, { space_id, principal_id, ref });
    if (known) await unplan(ctx, { kind: AGAIN, ref: known.id });
    else if ((await putOffBy(ctx)).size >= MOST_PUT_OFF)
      throw new ParleyError("LIMIT_REACHED", `You have put off ${MOST_PUT_OFF} already. Deal with some of them first.`);
    const later_id = await tellNeed(ctx, principal_id, ref);
    const until_at = new Date(at).toISOString();
    await store.saveLater(ctx.tx, { principal_id, ref, id: later_id, until_at });
    await plan(ctx, { kind: AGAIN, ref: later_id, at });
    await tellPending(ctx, ref, until_at);
    return { id: formatId(ref), until: until_at };
  });
}

/** Now, after all. */
async function takeBack(ctx: TxCtx, ref: number): Promise<{ id: string; until: null }> {
  const { space_id, principal_id } = ctx.actor;
  const known = await store.findLater(ctx.tx, { space_id, principal_id, ref });
  if (known) {
    await unplan(ctx, { kind: AGAIN, ref: known.id });
    await store.deleteLater(ctx.tx, known.id);
    await tellNeed(ctx, principal_id, ref);
  }
  return { id: formatId(ref), until: null };
}

/** Of whichever module it is that this waits for the actor. */
async function providerOf(ctx: TxCtx, ref: number): Promise<NeedProvider> {
  for (const provider of ctx.needs)
    if ((await provider.ids(ctx, { before_id: ref + 1, limit: 1 })).includes(ref)) return provider;
  throw new ParleyError("NEED_NOT_FOUND", `Nothing with the id ${formatId(ref)} waits for you. See need_list.`);
}

export const needsDue: Record<string, DueHandler> = {
  [AGAIN]: async (ctx, { ref: id }) => {
    const later = await store.findLaterById(ctx.tx, id);
    if (!later) return;
    await store.deleteLater(ctx.tx, id);
    await tellNeed(ctx, later.principal_id, later.ref);
  },
};
