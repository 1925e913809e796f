import { type Ctx, has, TASK_READERS } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explainer } from "../../../module.ts";
import { cut } from "../../../text.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

const MOST_SHOWN = 200;

export const tasksExplain: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const row = await store.findTask(ctx.db, { space_id: ctx.actor.space_id, id });
    if (!row) return undefined;
    const shown = sees(ctx) ? { kind: "task", by: row.sender, text: cut(row.content, MOST_SHOWN) } : null;
    return { shown, cause: fromColumns(row) };
  },
  sees: async (ctx) => sees(ctx),
};

const sees = ({ actor }: Ctx): boolean => has(actor, ...TASK_READERS);
