import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { heartbeat, self } from "../../identity/index.ts";
import type { Answer, WaitForNotice } from "../schema.ts";
import { TOPIC } from "./events.ts";
import { answerOf, ownNotice } from "./wire.ts";

/** The answer to one's own notice as soon as there is one, or somebody says not now; still open when the time is over. */
export async function waitFor(ctx: Ctx, { id, wait_seconds }: WaitForNotice): Promise<Answer> {
  const { raised_by } = await ownNotice(ctx, parseId(id));
  // Whoever waits for an hour is there for an hour.
  await heartbeat(ctx);
  const deadline = performance.now() + wait_seconds * 1000;
  using waiter = await ctx.wait?.({ topic: TOPIC, stream: raised_by });
  let before: Answer | undefined;
  for (;;) {
    const answer = await answerOf(ctx, await ownNotice(ctx, parseId(id)));
    const left = deadline - performance.now();
    before ??= answer;
    // What was put off before goes on being waited for: whoever asks again and again must not do so without a pause.
    const put_off = answer.pending_until !== null && answer.pending_until !== before.pending_until;
    if (!waiter || answer.state !== "open" || put_off || left <= 0) return answer;
    if ((await waiter.next(left)) !== "event") return answer;
  }
}

/** Whose notices the actor may follow: everybody's for people, its own for an agent. */
export const streams = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, ...ONLOOKERS) ? null : [(await self(ctx)).principal_id];
