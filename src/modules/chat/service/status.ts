import type { Ctx } from "../../../context.ts";
import { timeOfId } from "../../../ids.ts";
import { type AgentRow, doing } from "../../identity/index.ts";
import type { Status } from "../schema.ts";
import * as store from "../store.ts";
import { readableInbox } from "./inboxes.ts";

const NOBODY = { run_phase: "idle", approvals: 0 } as const;

/** How the agent is and whether it can be written to; the space's default agent without a name. */
export async function status(ctx: Ctx, name: string | undefined): Promise<Status> {
  const { agent, inbox_id } = await readableInbox(ctx, name);
  const [newest] = await store.listNewestSizes(ctx.db, { space_id: ctx.actor.space_id, inbox_id, limit: 1 });
  const { run_phase, approvals } = agent ? await doing(ctx, agent) : NOBODY;
  const ready = ctx.database.health().state === "ready";
  const times = [agent?.updated_at, newest && timeOfId(newest.id)].filter((time) => time !== undefined).sort();
  return {
    agent: agent?.name ?? null,
    type: agent?.type ?? "local",
    ui: { ready },
    lifecycle: agent?.lifecycle ?? "stopped",
    run_phase,
    pending_approvals: approvals,
    mcp: { entries: { ...(agent && (await mountsOf(ctx, agent))), chat: { state: ready ? "running" : "failed" } } },
    last_event_at: times.at(-1) ?? null,
  };
}

async function mountsOf(ctx: Ctx, { principal_id }: AgentRow): Promise<Status["mcp"]["entries"]> {
  const all = await Promise.all(ctx.mounts.map((provider) => provider.of(ctx, principal_id)));
  return Object.assign({}, ...all);
}
