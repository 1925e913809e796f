import { type Ctx, has, QUESTION_READERS } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explainer } from "../../../module.ts";
import { cut } from "../../../text.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

const MOST_SHOWN = 200;

export const questionsExplain: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const row = await store.findQuestion(ctx.db, { space_id: ctx.actor.space_id, id });
    if (!row) return undefined;
    const shown = { kind: "question", by: row.asked_by, text: cut(row.question, MOST_SHOWN) };
    return { shown: sees(ctx) ? shown : null, cause: fromColumns(row) };
  },
  sees: async (ctx) => sees(ctx),
};

const sees = ({ actor }: Ctx): boolean => has(actor, ...QUESTION_READERS);
