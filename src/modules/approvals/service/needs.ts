import type { Ctx } from "../../../context.ts";
import { formatId, parseId, timeOfId } from "../../../ids.ts";
import type { Need, NeedPage, NeedProvider, WaitingProvider } from "../../../module.ts";
import { TOPIC as NOTICES, tellPending } from "../../notices/index.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow, StatedProposalRow } from "../tables.ts";
import { riskOf } from "./policies.ts";
import { proposalCard } from "./proposing.ts";
import { DECIDED_WITH, isoNow, PROPOSALS_DECIDED_WITH } from "./wire.ts";
import { cardOf } from "./words.ts";

/** The calls and the rules that wait for people. */
export const approvalNeeds: NeedProvider = {
  ids: async (ctx, page) => {
    const [calls, rules] = await Promise.all([
      store.listOpenApprovalIds(ctx.db, openIn(ctx, page)),
      store.listOpenProposalIds(ctx.db, { space_id: ctx.actor.space_id, ...page }),
    ]);
    return [...calls, ...rules].sort((a, b) => b - a).slice(0, page.limit);
  },
  list: async (ctx, page) => {
    const [calls, rules] = await Promise.all([
      store.listOpenApprovals(ctx.db, openIn(ctx, page)),
      store.listOpenProposals(ctx.db, { space_id: ctx.actor.space_id, ...page }),
    ]);
    const needs = [...(await Promise.all(calls.map((row) => needOfCall(ctx, row)))), ...rules.map(needOfRule)];
    return needs.sort((a, b) => parseId(b.id) - parseId(a.id)).slice(0, page.limit);
  },
  tellPending,
  // Whatever changes them raises or ends a notice, and whoever follows needs hears of those as it is.
  places: async () => [],
};

const openIn = (ctx: Ctx, page: NeedPage) => ({ space_id: ctx.actor.space_id, now: isoNow(ctx), ...page });

async function needOfCall(ctx: Ctx, row: StatedApprovalRow): Promise<Need> {
  const { id, digest, agent, expires_at } = row;
  const about = { digest, expires_at, topic: null, ref: null, agents: [agent] };
  const asked = {
    from: row.called_by_name ?? agent,
    asked_at: timeOfId(id),
    tool: DECIDED_WITH,
    choices: JSON.parse(row.verdicts),
  };
  const call = { risk: await riskOf(ctx, row), editable: row.editable === 1, covers: row.covers };
  return { id: formatId(id), kind: "approval", ...cardOf(row), ...asked, ...about, ...call };
}

function needOfRule(row: StatedProposalRow): Need {
  const { id, digest, proposed_by: from } = row;
  const about = { digest, expires_at: null, topic: null, ref: null, agents: null };
  const asked = { from, asked_at: timeOfId(id), tool: PROPOSALS_DECIDED_WITH, choices: ["accept", "reject"] };
  return { id: formatId(id), kind: "policy", ...proposalCard(row), ...asked, ...about };
}

/** Whose calls wait for a person. */
export const approvalWaiting: WaitingProvider = {
  topic: NOTICES,
  list: async (ctx, principal_id) => {
    const where = { space_id: ctx.actor.space_id, now: isoNow(ctx) };
    const rows = await store.listWaiting(ctx.db, where, principal_id);
    return rows.map((row) => ({ ...row, asks: row.approvals }));
  },
};
