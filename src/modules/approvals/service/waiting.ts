import type { Ctx } from "../../../context.ts";
import { heartbeat } from "../../identity/index.ts";
import { TOPIC as NOTICES } from "../../notices/index.ts";
import type { Requested, WaitForApproval } from "../schema.ts";
import { ownRow, requestedOf } from "./wire.ts";

/** What became of one's request as soon as it is over, or somebody says not now; still pending when the time is over. */
export async function waitFor(ctx: Ctx, { id, wait_seconds }: WaitForApproval): Promise<Requested> {
  const { agent_id } = await ownRow(ctx, id);
  // Whoever waits for an hour is there for an hour.
  await heartbeat(ctx);
  const deadline = performance.now() + wait_seconds * 1000;
  // By its notice, which tells of every end and of what was put off.
  using waiter = await ctx.wait?.({ topic: NOTICES, stream: agent_id });
  let before: Requested | undefined;
  for (;;) {
    const seen = await requestedOf(ctx, await ownRow(ctx, id));
    const left = deadline - performance.now();
    before ??= seen;
    // What was put off before goes on being waited for: whoever asks again and again must not do so without a pause.
    const put_off = seen.pending_until !== null && seen.pending_until !== before.pending_until;
    if (!waiter || seen.state !== "pending" || put_off || left <= 0) return seen;
    if ((await waiter.next(left)) !== "event") return seen;
  }
}
