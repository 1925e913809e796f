import { z } from "zod";
import { Id } from "../../ids.ts";

const TYPES = ["cron", "webhook", "manual"] as const;
export const MISSED = ["skip", "once", "all"] as const;
export const OVERLAP = ["skip", "queue", "allow"] as const;
export const MODES = ["ephemeral", "persistent"] as const;
const STATES = ["pending", "running", "done", "failed", "cancelled", "skipped"] as const;
export const SOURCES = ["cron", "webhook", "manual"] as const;
export const DEFAULT_SESSION = "_default";

/** Of a body, and of what is handed over by hand. */
export const MOST_PAYLOAD_BYTES = 1024 * 1024;
const MOST_PROMPT = 100_000;

const Time = z.iso.datetime();
const Type = z.enum(TYPES);
export type Type = z.infer<typeof Type>;
const State = z.enum(STATES);
export type State = z.infer<typeof State>;

export const TriggerName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,63}$/,
    "a trigger's name is 1 to 64 lowercase letters, digits, - and _, and begins with a letter or a digit",
  );
const name = TriggerName.describe("Its name.");
/** To look one up: whatever it is, what is not there is told so. */
const known = z.string().max(300).describe("Its name.");

const Channel = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "a channel is 1 to 40 small letters, digits, dashes and underscores");
const SECRET_RULE = "a webhook secret has 8 to 256 characters";
const Secret = z.string().min(8, SECRET_RULE).max(256, SECRET_RULE);
const SessionKey = z.string().min(1).max(200);

const fields = {
  description: z.string().max(2000).optional().describe("What it is for."),
  channel: Channel.optional().describe("Of the tasks it makes; internal unless said."),
  schedule: z.string().max(200).optional().describe("For cron: five fields such as 0 9 * * MON-FRI, or @daily."),
  timezone: z.string().min(1).max(64).optional().describe("Of the schedule, such as Europe/Berlin; UTC unless said."),
  missed: z.enum(MISSED).optional().describe("What of slots that passed while the hub was down; once unless said."),
  missed_max: z.int().min(1).max(100).optional().describe("With all: the newest so many; 10 unless said."),
  missed_window_seconds: z
    .int()
    .min(60)
    .max(604_800)
    .optional()
    .describe("With all: no older ones; a day unless said."),
  overlap: z.enum(OVERLAP).optional().describe("What while the last run goes on; queue for cron, else allow."),
  webhook_secret: Secret.optional().describe("By which senders prove themselves, 8 to 256 characters."),
  query_secret: z.boolean().optional().describe("Whether ?secret= counts too: it ends up in logs."),
  prompt: z
    .string()
    .max(MOST_PROMPT)
    .optional()
    .describe("What is asked; {{payload}}, {{payload.a.b}}, {{sender}} are filled in."),
  session_mode: z.enum(MODES).optional().describe("A fresh session each time, or the same one; ephemeral unless said."),
  session_key: z.string().max(500).optional().describe("Which session, such as {{payload.thread_id}}."),
};

export const CreateTrigger = z.strictObject({
  name,
  type: Type.describe("Fired by time, by a request, or only by hand."),
  ...fields,
  enabled: z.boolean().optional().describe("Whether it fires; true unless said."),
});
export type CreateTrigger = z.infer<typeof CreateTrigger>;

export const UpdateTrigger = z.strictObject({
  name: known,
  ...fields,
  enabled: z.boolean().optional().describe("Whether it fires."),
});
export type UpdateTrigger = z.infer<typeof UpdateTrigger>;

export const TriggerRef = z.strictObject({ name: known });
export type TriggerRef = z.infer<typeof TriggerRef>;

export const LookAtTrigger = TriggerRef.extend({
  runs: z.int().min(0).max(100).default(0).describe("With so many of its last runs."),
});
export type LookAtTrigger = z.infer<typeof LookAtTrigger>;

export const ListTriggers = z.strictObject({ type: Type.optional().describe("Of this type only.") });
export type ListTriggers = z.infer<typeof ListTriggers>;

export const Trigger = z.object({
  id: Id,
  name: z.string(),
  type: Type,
  description: z.string().nullable(),
  channel: z.string(),
  schedule: z.string().nullable(),
  timezone: z.string(),
  missed: z.enum(MISSED),
  missed_max: z.int(),
  missed_window_seconds: z.int(),
  overlap: z.enum(OVERLAP),
  session_mode: z.enum(MODES),
  session_key: z.string().nullable(),
  prompt: z.string().nullable(),
  query_secret: z.boolean(),
  enabled: z.boolean(),
  next_run: Time.nullable(),
  last_run: Time.nullable(),
  run_count: z.int(),
  refused_at: Time.nullable().describe("When a webhook last refused what was posted to it."),
  refused_for: z.string().nullable().describe("Why it did."),
  created_at: Time,
  created_by: z.string(),
});
export type Trigger = z.infer<typeof Trigger>;

export const TriggerList = z.object({ triggers: z.array(Trigger) });
export type TriggerList = z.infer<typeof TriggerList>;

export const LookAtTriggers = z.strictObject({ limit: z.int().min(1).max(500).default(100).describe("How many.") });
export type LookAtTriggers = z.infer<typeof LookAtTriggers>;

export const TriggerBoard = z.object({
  triggers: z.array(
    Trigger.pick({
      ...{ id: true, name: true, type: true, description: true, schedule: true, timezone: true },
      ...{ enabled: true, next_run: true, run_count: true },
    }),
  ),
  total: z.int(),
});
export type TriggerBoard = z.infer<typeof TriggerBoard>;

const webhook = {
  webhook_url: z.string().optional().describe("Where to POST."),
  hint: z.string().optional().describe("How to call it."),
  auth: z.string().optional().describe("How a sender proves itself."),
};

export const TriggerAnswer = z.object({ trigger: Trigger, ...webhook });
export type TriggerAnswer = z.infer<typeof TriggerAnswer>;

export const Run = z.object({
  id: Id,
  trigger: z.string(),
  source: z.enum(SOURCES),
  sender: z.string(),
  session_key: z.string(),
  state: State,
  reason: z.string().nullable(),
  scheduled_at: Time.nullable().describe("The slot of a schedule."),
  delivery: z.string().nullable(),
  fired_at: Time,
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  outcome: z.string().nullable(),
  cost_usd: z.number().nullable(),
  task_id: Id.nullable(),
  run_id: Id.nullable(),
  cause: Id.nullable(),
});
export type Run = z.infer<typeof Run>;

export const TriggerDetails = TriggerAnswer.extend({
  next_runs: z.array(Time).describe("When it fires next, at most five times."),
  secrets: z
    .array(z.object({ id: Id, created_at: Time, retires_at: Time.nullable() }))
    .describe("Without what they are."),
  runs: z.array(Run).describe("The last times it fired, as many as were asked for."),
});
export type TriggerDetails = z.infer<typeof TriggerDetails>;

export const Deleted = z.object({
  name: z.string(),
  deleted: z.literal(true),
  sessions: z.int().describe("How many of its sessions were forgotten."),
  in_flight: z
    .array(z.object({ id: Id, task_id: Id.nullable() }))
    .describe("Its runs that go on: trigger_runs shows their end."),
});
export type Deleted = z.infer<typeof Deleted>;

export const Rotate = z.strictObject({
  name: known,
  webhook_secret: Secret.optional().describe("The new one; made up unless given."),
  overlap_seconds: z.int().min(0).max(2_592_000).default(86_400).describe("For how long the old ones still count."),
});
export type Rotate = z.infer<typeof Rotate>;
export const Rotated = z.object({
  name: z.string(),
  webhook_secret: z.string().describe("Shown this once."),
  old_retire_at: Time.nullable(),
});
export type Rotated = z.infer<typeof Rotated>;

export const RunTrigger = z.strictObject({
  name: known,
  payload: z.unknown().optional().describe("Text, or JSON."),
  session_key: SessionKey.optional().describe("Which of its sessions."),
  again: Id.optional().describe("An earlier run: with what came with that."),
});
export type RunTrigger = z.infer<typeof RunTrigger>;

export const ListRuns = z.strictObject({
  name: known.optional().describe("Of this trigger only, be it deleted."),
  limit: z.int().min(1).max(100).default(20).describe("How many."),
  before: Id.optional().describe("The next of the last page."),
});
export type ListRuns = z.infer<typeof ListRuns>;
export const RunList = z.object({ runs: z.array(Run), next: Id.nullable() });
export type RunList = z.infer<typeof RunList>;

export const TryTrigger = z.strictObject({
  name: known,
  run: Id.optional().describe("An earlier run: with what came with that."),
  payload: z.unknown().optional().describe("Text, or JSON."),
});
export type TryTrigger = z.infer<typeof TryTrigger>;
export const Tried = z.object({
  name: z.string(),
  fires: z.boolean(),
  why_not: z.string().nullable(),
  becomes: z.enum(["task", "run"]),
  sender: z.string(),
  session_key: z.string(),
  prompt: z.string(),
  payload: z.string().nullable().describe("All of what came, as it is stored."),
});
export type Tried = z.infer<typeof Tried>;

/** What a sender of a webhook is told. */
export const Received = z.object({ ok: z.literal(true), trigger: z.string(), message: z.string() });
