import { type Ctx, has, ONLOOKERS } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explainer } from "../../../module.ts";
import { findSelf } from "../../identity/index.ts";
import { TOPIC } from "./events.ts";
import { findRow } from "./wire.ts";
import { cardOf } from "./words.ts";

export const approvalsExplain: Explainer = {
  topics: [TOPIC],
  find: async (ctx, id) => {
    const row = await findRow(ctx, id);
    if (!row) return undefined;
    const shown = { kind: "approval", by: row.called_by_name ?? row.agent, text: cardOf(row).title };
    return { shown: (await sees(ctx, row.agent_id)) ? shown : null, cause: fromColumns(row) };
  },
  sees: async (ctx, { stream }) => stream === "" || sees(ctx, stream),
};

const sees = async (ctx: Ctx, agent_id: string): Promise<boolean> =>
  has(ctx.actor, ...ONLOOKERS) || (await findSelf(ctx))?.principal_id === agent_id;
