import type { Ctx } from "../../../context.ts";
import type { Need, NeedPage, NeedProvider, WaitingProvider } from "../../../module.ts";
import { tellPending } from "../../notices/index.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";
import { ANSWERED_WITH, isoNow, wire } from "./wire.ts";
import { wordsOf } from "./words.ts";

/** The questions that wait for people. */
export const questionNeeds: NeedProvider = {
  ids: (ctx, page) => store.listOpenIds(ctx.db, openIn(ctx, page)),
  list: async (ctx, page) =>
    (await store.listOpenNewest(ctx.db, openIn(ctx, page))).map((row): Need => {
      const { id, asked_by: from, asked_at, options: choices, options_only, expires_at, ...rest } = wire(ctx, row);
      const about = { digest: null, expires_at, topic: null, ref: null, agents: null };
      const how = { choices, options_only, priority: rest.priority, blocking: rest.blocking };
      return { id, kind: "question", ...wordsOf(row), from, asked_at, tool: ANSWERED_WITH, ...how, ...about };
    }),
  tellPending,
  places: async () => [{ topic: TOPIC }],
};

const openIn = (ctx: Ctx, page: NeedPage) => ({ space_id: ctx.actor.space_id, now: isoNow(ctx), ...page });

/** Whose work waits for an answer. */
export const questionWaiting: WaitingProvider = {
  topic: TOPIC,
  list: async (ctx, principal_id) => {
    const where = { space_id: ctx.actor.space_id, now: isoNow(ctx) };
    return (await store.listBlocked(ctx.db, where, principal_id)).map((one) => ({ ...one, approvals: 0 }));
  },
};
