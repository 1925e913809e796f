import type { TxCtx } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { raise } from "./raising.ts";

/**
 * One notice for all, so that what keeps failing does not bury what people are asked. Not with the error's own words:
 * these may be somebody's.
 */
export async function tellDead(ctx: TxCtx, { id, data }: FeedEvent): Promise<void> {
  await raise(ctx, {
    key: `due.dead ${id}`,
    kind: "due.dead",
    title: "Something that was due could not be done",
    text: `${data.kind} (${data.ref}) failed ${data.attempts} times and is not tried again. The hub's log says why.`,
    gather: { name: "due.dead", title: "{times} things that were due could not be done" },
  });
}
