import { type Ctx, has, READERS } from "../../../context.ts";
import { type CauseColumns, fromColumns } from "../../../feed/index.ts";
import type { Explained, Explainer } from "../../../module.ts";
import { cut } from "../../../text.ts";
import * as store from "../store.ts";
import { TOPIC } from "./events.ts";

const MOST_SHOWN = 200;

/** Notes, versions of sections and tasks of the plan are kept, with what led to them. */
export const workspaceExplains: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const where = { space_id: ctx.actor.space_id, id };
    const note = await store.findNote(ctx.db, where);
    if (note) return explained(ctx, note, { kind: "note", text: note.content });
    const version = await store.findVersionById(ctx.db, where);
    if (version) return explained(ctx, version, { kind: "section", text: `${version.title}\n${version.content}` });
    const task = await store.findPlanTask(ctx.db, where);
    return task && explained(ctx, task, { kind: "plan task", text: task.description });
  },
  sees: async (ctx) => sees(ctx),
};

const explained = (
  ctx: Ctx,
  row: CauseColumns & { author: string },
  { kind, text }: { kind: string; text: string },
): Explained => ({
  shown: sees(ctx) ? { kind, by: row.author, text: cut(text, MOST_SHOWN) } : null,
  cause: fromColumns(row),
});

const sees = ({ actor }: Ctx): boolean => has(actor, ...READERS);
