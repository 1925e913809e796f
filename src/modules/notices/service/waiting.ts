import { type Ctx, has } from "../../../context.ts";
import { parseId } from "../../../ids.ts";
import { self } from "../../identity/index.ts";
import type { Answer, WaitForNotice } from "../schema.ts";
import { answerOf, ownNotice, TOPIC, wire } from "./wire.ts";

/** The answer to one's own notice as soon as there is one; still open when the time is over. */
export async function waitFor(ctx: Ctx, { id, wait_seconds }: WaitForNotice): Promise<Answer> {
  const { raised_by } = await ownNotice(ctx, parseId(id));
  const deadline = performance.now() + wait_seconds * 1000;
  using waiter = await ctx.wait?.({ topic: TOPIC, stream: raised_by });
  for (;;) {
    const answer = answerOf(wire(ctx, await ownNotice(ctx, parseId(id))));
    const left = deadline - performance.now();
    if (!waiter || answer.state !== "open" || left <= 0) return answer;
    if ((await waiter.next(left)) === "stopping") return answer;
  }
}

/** Whose notices the actor may follow: everybody's for people, its own for an agent. */
export const streams = async (ctx: Ctx): Promise<readonly string[] | null> =>
  has(ctx.actor, "human", "admin", "observer") ? null : [(await self(ctx)).principal_id];
