import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Name, RunPhase } from "../../identity/index.ts";
import { Account, DEFAULT_ACCOUNT } from "../../tasks/index.ts";
import { WaitingCall } from "./calls.ts";
import { AnyLogEvent, NewEvent, Outcome } from "./log.ts";

const agent = Name.optional().describe("Which agent; an agent is always itself.");
const fence = z.int().min(1).describe("As runtime_start gave it: writes of an earlier start are refused.");

const Mount = z.object({
  state: z.enum(["starting", "running", "failed"]),
  error: z.string().max(500).optional(),
});
export const Mounts = z
  .record(z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "a server's name"), Mount)
  .describe("The servers whose tools its model has, by name.");
export type Mounts = z.infer<typeof Mounts>;

const server = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "a server's name");
const uri = z.string().min(1).max(2000);
/** What an agent may follow at once. */
export const MOST_FOLLOWED = 100;

export const Follow = z.strictObject({
  agent,
  fence,
  server: server.describe("The mounted server that has it."),
  uri: uri.describe("Which of its resources."),
});
export type Follow = z.infer<typeof Follow>;

const Followed = z.object({
  ...{ server, uri },
  present: z.boolean().describe("Whether the resource is there."),
  active: z.boolean().describe("Whether it is followed just now."),
  last_error: z.string().max(500).nullable(),
});

export const StartRuntime = z.strictObject({
  agent,
  driver: z.string().max(40).describe("What runs its model, such as scripted."),
  account: Account.default(DEFAULT_ACCOUNT).describe("Whose quota its turns use."),
  with_token: z.boolean().default(false).describe("Make a token for a program that does its turns."),
});
export type StartRuntime = z.infer<typeof StartRuntime>;

/** What people want of a runtime just now. */
const Wanted = z.object({
  paused: z.boolean().describe("No turn is begun, and no further answer of the model asked for."),
  abort_turn_id: Id.nullable().describe("The turn that is to be ended at once."),
  tools_off: z.boolean().describe("No call is run but what it says and the end of its turn."),
});

export const RuntimeStarted = Wanted.extend({
  agent: Name,
  known_as: Name.describe("As whom its model is told that it acts: whom it was begun from, or itself."),
  fence,
  after_id: Id.nullable().describe("Everything up to here was taken by a turn: begin to read here."),
  interrupted_turn_id: Id.nullable().describe("The turn that the last runtime left unfinished."),
  token: z
    .string()
    .nullable()
    .describe(
      "Works until another runtime is started, or this one ends. What is done with it has the turn as its cause.",
    ),
  subscriptions: z
    .array(z.object({ server, uri, pinned: z.boolean() }))
    .describe("What the agent follows. What is pinned is followed by runtime_next, the rest is yours to follow."),
});
export type RuntimeStarted = z.infer<typeof RuntimeStarted>;

const Heard = Wanted.partial().extend({
  calls: z.array(Id).max(100).optional().describe("Those you know of. Who says none of them is given none."),
  turn_id: Id.optional().describe("The turn that you are at."),
});

export const NextInputs = z.strictObject({
  agent,
  fence,
  after_id: Id.nullable().describe("The last of these that you have."),
  wait_seconds: z.int().min(0).max(50).default(0).describe("How long to wait while there is nothing new."),
  heard: Heard.optional().describe("What you know of already: only something else ends the wait."),
});
export type NextInputs = z.infer<typeof NextInputs>;

export const Inputs = Wanted.extend({
  events: z.array(AnyLogEvent).describe("UserText for each message of a person, and Resumed; oldest first."),
  has_more: z.boolean(),
  calls: z.array(WaitingCall).describe("What people call of the servers that you have mounted: take each."),
  over: z
    .object({ outcome: Outcome, after_id: Id.nullable() })
    .nullable()
    .describe("The turn that you are at is over, without you: what comes after after_id is for the next one."),
});
export type Inputs = z.infer<typeof Inputs>;

export const Record = z.strictObject({
  agent,
  fence,
  turn_id: Id.optional().describe("The turn they belong to; left out for the one that TurnStarted begins."),
  run_phase: RunPhase.optional().describe("What the agent is doing from now on."),
  events: z.array(NewEvent).min(1).max(50),
});
export type Record = z.infer<typeof Record>;

export const Recorded = z.object({
  ids: z.array(Id).describe("Of each event, in their order."),
  allowed: z
    .array(z.string())
    .describe(
      "The call_id of each ToolCall that the policy allows as one of the hub's own tools: it needs no approval.",
    ),
});
export type Recorded = z.infer<typeof Recorded>;

export const ReadLog = z.strictObject({
  agent,
  before_id: Id.optional().describe("Only what comes before; the newest without it."),
  limit: z.int().min(1).max(500).default(200),
});
export type ReadLog = z.infer<typeof ReadLog>;

export const LogPage = z.object({ events: z.array(AnyLogEvent).describe("Oldest first."), has_more: z.boolean() });

export const ReportRuntime = z.strictObject({
  agent,
  fence,
  lifecycle: z.enum(["ready", "stopped", "failed"]),
  error: z.string().max(500).optional(),
  mounts: Mounts.optional(),
  subscriptions: z.array(Followed).max(MOST_FOLLOWED).optional().describe("How what it follows is."),
});
export type ReportRuntime = z.infer<typeof ReportRuntime>;

export const ThrottleRuntime = z.strictObject({
  agent,
  fence,
  turn_id: Id.describe("The turn that met a quota."),
  until: z.iso.datetime().describe("When it can go on."),
  error: z.string().max(1000).describe("What was said of it."),
});
export type ThrottleRuntime = z.infer<typeof ThrottleRuntime>;
export const RuntimeThrottled = z.object({
  throttled_until: z.iso
    .datetime()
    .nullable()
    .describe("Until then the account is held, and the agent paused; null where people have quotas of it ignored."),
});

export const Ok = z.object({ ok: z.literal(true) });
