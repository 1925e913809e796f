import type { CallProvider } from "../../../module.ts";
import type { LogBody } from "../schema.ts";
import * as store from "../store.ts";

/** What models have called, from the logs of their agents. */
export const callProvider: CallProvider = {
  list: async (ctx, page) => {
    const rows = await store.listCalls(ctx.db, { space_id: ctx.actor.space_id, ...page });
    return rows.map(({ id, agent, body, text }) => {
      // Such entries alone were asked for.
      const entry = JSON.parse(body) as LogBody<number> & { type: "ToolCall" };
      return { id, agent, call_id: entry.call_id, tool: entry.tool, arguments: text ?? entry.arguments };
    });
  },
};
