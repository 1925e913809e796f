import type { TxCtx } from "../../../context.ts";
import type { FeedEvent } from "../../../feed/index.ts";
import { agentIn } from "../../identity/index.ts";
import * as store from "../store.ts";
import { withdrawRow } from "./ending.ts";
import { current, write } from "./policies.ts";
import { withdrawProposals } from "./proposing.ts";
import { isoNow } from "./wire.ts";

/** An agent is deleted: what it asked and proposed needs nobody any more, and rules for it alone mean nobody. */
export async function forgetAgent(ctx: TxCtx, event: FeedEvent): Promise<void> {
  const { principal_id: agent_id, name } = agentIn(event);
  const open = await store.listPendingOf(ctx.tx, { space_id: ctx.tx.space_id, now: isoNow(ctx), agent_id });
  for (const row of open) await withdrawRow(ctx, row);
  await withdrawProposals(ctx, agent_id);
  await dropRulesOf(ctx, name);
}

async function dropRulesOf(ctx: TxCtx, agent: string): Promise<void> {
  const { document } = await current(ctx);
  if (!document) return;
  const rules = document.rules.filter((rule) => rule.agent !== agent);
  if (rules.length < document.rules.length) await write(ctx, { ...document, rules }, `${agent} was deleted.`);
}
