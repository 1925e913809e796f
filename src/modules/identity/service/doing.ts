import type { Ctx } from "../../../context.ts";
import { timeOfId } from "../../../ids.ts";
import type { Waiting } from "../../../module.ts";
import type { FeedPlace } from "../../../resource.ts";
import type { Agent } from "../schema.ts";
import type { AgentRow } from "../tables.ts";
import { TOPIC } from "./events.ts";

type Doing = Pick<Agent, "run_phase" | "asks" | "waiting_since"> & { approvals: number };

/**
 * What an agent is doing as everybody is shown it: what it reports of itself, except while a person is to decide
 * something for it. That is known from what was asked, so it ends with the question and nobody has to report it.
 */
export async function doing(ctx: Ctx, agent: AgentRow): Promise<Doing> {
  return seenDoing(agent, (await waitingAgents(ctx, agent.principal_id)).get(agent.principal_id));
}

export function seenDoing({ lifecycle, run_phase }: AgentRow, waiting: Waiting | undefined): Doing {
  if (!waiting) return { run_phase, asks: 0, approvals: 0, waiting_since: null };
  const { asks, approvals, since_id } = waiting;
  // Who says that it has ended waits for nothing, whatever it left open.
  if (lifecycle === "stopped" || lifecycle === "failed") return { run_phase, asks, approvals, waiting_since: null };
  const phase = approvals > 0 ? "waiting_approval" : "waiting_input";
  return { run_phase: phase, asks, approvals, waiting_since: timeOfId(since_id) };
}

/** By principal, in one read of each module for all agents of the space. */
export async function waitingAgents(ctx: Ctx, principal_id?: string): Promise<Map<string, Waiting>> {
  const waiting = new Map<string, Waiting>();
  const found = await Promise.all(ctx.waiting.map((provider) => provider.list(ctx, principal_id)));
  for (const one of found.flat()) {
    const { asks = 0, approvals = 0, since_id = one.since_id } = waiting.get(one.principal_id) ?? {};
    const all = { asks: asks + one.asks, approvals: approvals + one.approvals };
    waiting.set(one.principal_id, { ...one, ...all, since_id: Math.min(since_id, one.since_id) });
  }
  return waiting;
}

/** Where something happens that changes what agents are doing, or one of them. */
export const doingPlaces = (ctx: Ctx, principal_id?: string): FeedPlace[] =>
  // Of one that several go by, each change is told once.
  [...new Set([TOPIC, ...ctx.waiting.map(({ topic }) => topic)])].map((topic) => ({
    topic,
    ...(principal_id !== undefined && { stream: principal_id }),
  }));
