import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explained, Explainer } from "../../../module.ts";
import { findSelf } from "../../identity/index.ts";
import * as store from "../store.ts";
import type { NamedNoticeRow } from "../tables.ts";
import { TOPIC } from "./events.ts";
import { titleOf } from "./wire.ts";

/** With what died, of which people are told by a notice. */
export const noticesExplain: Explainer = {
  topics: [TOPIC, "due"],
  find,
  sees: async (ctx, { type, topic, stream, ref }) => {
    if (topic !== TOPIC) return has(ctx.actor, ...ONLOOKERS);
    // What somebody put off is nobody else's business.
    if (type === "need.changed") return stream === ctx.actor.principal_id;
    const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id: ref });
    return row !== undefined && (await seesNotice(ctx, row));
  },
};

async function find(ctx: Ctx, id: number): Promise<Explained | undefined> {
  const row = await store.findNotice(ctx.db, { space_id: ctx.actor.space_id, id });
  // What has details elsewhere is explained there.
  if (!row || row.tool !== null) return undefined;
  const shown = { kind: "notice", by: row.raised_by_name, text: titleOf(row) };
  return { shown: (await seesNotice(ctx, row)) ? shown : null, cause: fromColumns(row) };
}

async function seesNotice(ctx: Ctx, { audience, raised_by }: NamedNoticeRow): Promise<boolean> {
  if (has(ctx.actor, ...ONLOOKERS)) return audience === null || audience === ctx.actor.principal_id;
  return raised_by === (await findSelf(ctx))?.principal_id;
}
