import type { WaitingProvider } from "../../../module.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";
import { isoNow } from "./wire.ts";

/** What an agent asks that people choose. What it only tells, it does not wait for. */
export const noticeWaiting: WaitingProvider = {
  topic: TOPIC,
  list: async (ctx, principal_id) => {
    const { space_id, principal_id: viewer } = ctx.actor;
    const where = { space_id, now: isoNow(ctx), viewer };
    const rows = await (principal_id === undefined
      ? store.listDeciding(ctx.db, where)
      : store.listDecidingOf(ctx.db, { ...where, raised_by: principal_id }));
    return rows.map((row) => ({ ...row, approvals: 0 }));
  },
};
