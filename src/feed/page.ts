import type { Ctx } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { formatId, Id, parseId } from "../ids.ts";
import { findHead, findPurged } from "./store.ts";

/** The position of whoever came before anything was written. */
const BEGINNING = "0";

/**
 * Where a stream of events goes on that was told everything up to `after`. A position that can no longer be followed is
 * `lost`, with the reason: whoever follows has to read again.
 */
export async function resumeAt(ctx: Ctx, after: string | undefined): Promise<{ from?: number; lost?: string }> {
  if (after === undefined || after === "") return {};
  if (after !== BEGINNING && !Id.safeParse(after).success)
    throw new ParleyError("INVALID_ARGUMENT", "Last-Event-ID is the id of an event, a string of digits.");
  const after_id = parseId(after);
  try {
    await checkPosition(ctx, { topic: "feed", stream: "", after_id });
    return { from: after_id };
  } catch (error) {
    if (error instanceof ParleyError && error.code.startsWith("WATERMARK")) return { lost: error.code };
    throw error;
  }
}

/**
 * Refuses to read on from a position that would leave a silent gap: one whose successors were
 * purged, or one ahead of everything ever written (as after a restore from a backup).
 */
export async function checkPosition(
  ctx: Ctx,
  where: { topic: string; stream: string; after_id: number },
): Promise<void> {
  const { space_id } = ctx.actor;
  const purged_id = await findPurged(ctx.db, { space_id, topic: where.topic, stream: where.stream });
  if (where.after_id < purged_id)
    throw new ParleyError(
      "WATERMARK_EXPIRED",
      `What followed ${where.after_id} is no longer kept. What is kept begins after ${purged_id}.`,
      {
        details: { first_id: formatId(purged_id) },
      },
    );
  const head = await findHead(ctx.db, space_id);
  if (where.after_id > head)
    throw new ParleyError("WATERMARK_INVALID", "This position is ahead of everything written here.", {
      details: { epoch: ctx.database.epoch, last_id: formatId(head) },
    });
}
