/** Questions that have been over for long are forgotten, with their notices and where workflows stopped for them. */
import { retention } from "../../../retention.ts";
import * as delivery from "../../delivery/index.ts";
import { forget } from "../../notices/index.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

export const questionRetention = retention({
  kind: "question.purge",
  days: ({ question_days }) => question_days,
  oldest: async ({ tx }) => (await store.findOldest(tx)) ?? null,
  remove: async (ctx, { before_id, limit }) => {
    const before = new Date(before_id / 1000).toISOString();
    const old = await store.listOver(ctx.tx, { before_id, before, limit });
    await store.deleteQuestions(ctx.tx, old, before_id);
    await delivery.forget(ctx, { topic: TOPIC, refs: old });
    await forget(ctx, old);
    // The oldest may be open still, or may have been answered late.
    return old.length < limit;
  },
});
