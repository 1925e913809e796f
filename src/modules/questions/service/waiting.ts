import type { Ctx } from "../../../context.ts";
import type { Outcome, WaitedCheckpoint, WaitForCheckpoint, WaitForQuestion } from "../schema.ts";
import { checkpointOf, heldBy } from "./checkpoints.ts";
import { TOPIC } from "./events.ts";
import { outcomeOf, questionOf } from "./wire.ts";

/** What became of the questions of a checkpoint, as soon as the workflow may go on; what is known when the time is over. */
export const waitForCheckpoint = (
  ctx: Ctx,
  { checkpoint_id, wait_seconds }: WaitForCheckpoint,
): Promise<WaitedCheckpoint> =>
  until(ctx, wait_seconds, {
    look: async () => {
      const { id, state } = await checkpointOf(ctx, checkpoint_id);
      const over = (await heldBy(ctx, id)).map(({ row }) => outcomeOf(ctx, row));
      return { state, answers: over.filter((one) => one.state !== "open") };
    },
    isOver: ({ state }) => state !== "waiting",
  });

/** What became of one question, as soon as it is over. */
export const waitForQuestion = (ctx: Ctx, { question_id, wait_seconds }: WaitForQuestion): Promise<Outcome> =>
  until(ctx, wait_seconds, {
    look: async () => outcomeOf(ctx, await questionOf(ctx, question_id)),
    isOver: ({ state }) => state !== "open",
  });

interface Look<T> {
  look: () => Promise<T>;
  isOver: (seen: T) => boolean;
}

async function until<T>(ctx: Ctx, wait_seconds: number, { look, isOver }: Look<T>): Promise<T> {
  const deadline = performance.now() + wait_seconds * 1000;
  // Heard from here on: what came before is seen by the first look.
  using waiter = await ctx.wait?.({ topic: TOPIC });
  for (;;) {
    const seen = await look();
    const left = deadline - performance.now();
    if (!waiter || isOver(seen) || left <= 0) return seen;
    if ((await waiter.next(left)) !== "event") return look();
  }
}
