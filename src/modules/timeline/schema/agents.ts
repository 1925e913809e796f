import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Lifecycle, Name, RunPhase } from "../../identity/index.ts";
import { Outcome } from "./log.ts";
import { Mounts } from "./runtime.ts";
import { RUN_STATUSES } from "./timeline.ts";

const Time = z.iso.datetime();

export const RuntimeOf = z.strictObject({ agent: Name.describe("Which agent.") });
export type RuntimeOf = z.infer<typeof RuntimeOf>;

export const StartAgent = RuntimeOf.extend({
  definition: z
    .string()
    .max(256 * 1024)
    .describe("How to run it, as JSON: driver, script, facets, compat. parley agent run --in-hub writes it."),
});
export type StartAgent = z.infer<typeof StartAgent>;

export const Turn = z.object({
  id: Id,
  status: z.enum(RUN_STATUSES),
  started_at: Time,
  ended_at: Time.nullable(),
  outcome: Outcome.nullable(),
  error: z.string().nullable(),
  cost_usd: z.number().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
});
export type Turn = z.infer<typeof Turn>;

export const RuntimeStatus = z.object({
  agent: Name,
  lifecycle: Lifecycle,
  run_phase: RunPhase,
  driver: z.string().nullable().describe("Null for an agent that no runtime has run."),
  generation: z.int().describe("How often a runtime was started for it."),
  in_hub: z.boolean().describe("Whether the hub itself runs it, again after a restart."),
  started_at: Time.nullable(),
  seen_at: Time.nullable(),
  paused_at: Time.nullable(),
  paused_by: z
    .string()
    .nullable()
    .describe("Who paused it; `the budget` where that is used up for today, `the quota` while its account is held."),
  tools_off_at: Time.nullable().describe("Since when it may use no tools; null where it may."),
  forked_from: Name.nullable().describe("From whose log it was begun."),
  forked_at_id: Id.nullable().describe("Up to which entry of that."),
  turn: Turn.nullable().describe("The one that runs, or the last."),
  mounts: Mounts,
});
export type RuntimeStatus = z.infer<typeof RuntimeStatus>;
