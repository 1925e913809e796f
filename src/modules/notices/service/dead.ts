import type { TxCtx } from "../../../context.ts";
import { diedIn } from "../../../due/index.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { unarchivedIn } from "../../identity/index.ts";
import { raise } from "./raising.ts";

/**
 * One notice for all, so that what keeps failing does not bury what people are asked. Not with the error's own words:
 * these may be somebody's.
 */
export async function tellDead(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { kind, ref, attempts } = diedIn(event);
  await raise(ctx, {
    key: `due.dead ${event.id}`,
    kind: "due.dead",
    title: "Something that was due could not be done",
    text: `${kind} (${ref}) failed ${attempts} times and is not tried again. The hub's log says why.`,
    gather: { name: "due.dead", title: "{times} things that were due could not be done" },
  });
}

/** It is tried again for as long as it takes, and nothing of the space is removed until then. */
export async function tellUnarchived(ctx: TxCtx, event: FeedEvent): Promise<void> {
  await raise(ctx, {
    key: `space.unarchived ${event.id}`,
    kind: "space.unarchived",
    title: "A space that has ended could not be archived",
    text: `What ${unarchivedIn(event)} held could not be written to its archive, and is kept in the database until it can. Is the disk full, or the folder not the hub's to write to? The hub's log says why.`,
    gather: { name: "space.unarchived", title: "{times} spaces that have ended could not be archived" },
  });
}
