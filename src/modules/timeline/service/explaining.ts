import type { Ctx } from "../../../context.ts";
import { fromColumns } from "../../../feed/index.ts";
import type { Explained, Explainer } from "../../../module.ts";
import { seesAll } from "../../chat/index.ts";
import { agentsHere, findSelf } from "../../identity/index.ts";
import * as store from "../store.ts";
import { CONTROL, TOPIC } from "./events.ts";

/** Turns are kept as long as their agent, and what led to them with them. */
export const timelineExplains: Explainer = {
  topics: [TOPIC, CONTROL],
  find: async (ctx, id) => {
    const turn = await store.findTurn(ctx.db, { space_id: ctx.actor.space_id, id });
    if (!turn) return explainCall(ctx, id);
    const sees = await seesAgent(ctx, turn.principal_id);
    const by = sees ? await nameOf(ctx, turn.principal_id) : null;
    const shown = sees ? { kind: "turn", by, text: (turn.outcome ?? turn.status).replaceAll("_", " ") } : null;
    return { shown, cause: fromColumns(turn) };
  },
  sees: (ctx, { stream }) => seesAgent(ctx, stream),
};

/** What a person called of the agent's servers. */
async function explainCall(ctx: Ctx, id: number): Promise<Explained | undefined> {
  const call = await store.findCall(ctx.db, { space_id: ctx.actor.space_id, id });
  if (!call) return undefined;
  const by = await store.findNameOf(ctx.db, call.called_by);
  const shown = { kind: "call", by, text: `${call.tool} of ${call.server}` };
  return { shown: (await seesAgent(ctx, call.agent_id)) ? shown : null, cause: fromColumns(call) };
}

const seesAgent = async (ctx: Ctx, principal_id: string): Promise<boolean> =>
  seesAll(ctx) || (await findSelf(ctx))?.principal_id === principal_id;

const nameOf = async (ctx: Ctx, principal_id: string): Promise<string | null> =>
  (await agentsHere(ctx)).find((agent) => agent.principal_id === principal_id)?.name ?? null;
