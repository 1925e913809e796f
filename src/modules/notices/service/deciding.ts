import type { WaitingProvider } from "../../../module.ts";
import * as store from "../store.ts";
import { isoNow, TOPIC } from "./wire.ts";

/** What an agent asks that people decide: whether it may, or which of several. What it only tells, it does not wait for. */
export const noticeWaiting: WaitingProvider = {
  topic: TOPIC,
  list: (ctx, principal_id) => {
    const { space_id, principal_id: viewer } = ctx.actor;
    const where = { space_id, now: isoNow(ctx), viewer };
    return principal_id === undefined
      ? store.listDeciding(ctx.db, where)
      : store.listDecidingOf(ctx.db, { ...where, raised_by: principal_id });
  },
};
