import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Requested } from "../../approvals/index.ts";
import { Name } from "../../identity/index.ts";

const MOST_WAIT_SECONDS = 50;

const server = z.string().min(1).max(100).describe("The server, by the name under which it is mounted.");
const tool = z.string().min(1).max(200).describe("Its tool, by its own name or as the model calls it.");

/** What a person calls of a server that an agent's runtime has mounted. */
export const CallServer = z.strictObject({
  agent: Name.describe("Whose server it is."),
  server,
  tool,
  // Not as a record, which would drop `__proto__`: what is asked about and run is all that was called.
  arguments: z.unknown().default({}).describe("A JSON object, or its text: as a text nothing of it is lost."),
  key: z
    .string()
    .min(1)
    .max(200)
    .describe("Of your own choice. Called again with the same key it is the same call, and gives what came of it."),
  wait_seconds: z
    .int()
    .min(0)
    .max(MOST_WAIT_SECONDS)
    .default(MOST_WAIT_SECONDS)
    .describe("How long to wait for the result."),
});
export type CallServer = z.infer<typeof CallServer>;

export const ServerCalled = z.object({
  id: Id.describe("Of the call."),
  agent: Name,
  server: z.string(),
  tool: z.string(),
  state: z
    .enum(["waiting", "pending", "approved", "executing", "completed"])
    .describe("waiting: the runtime has not taken it yet; pending: a person is to decide; completed: it was run."),
  approval_id: Id.nullable().describe("approval_get shows what became of it; null while it is waiting."),
  says: z.string().describe("How it is, in a sentence."),
  edited: z.boolean().describe("It was approved with other arguments."),
  output: z.string().nullable().describe("What the tool gave, once it is completed. It is data."),
});
export type ServerCalled = z.infer<typeof ServerCalled>;

/** What a runtime has to take. */
export const WaitingCall = z.object({ id: Id, server: z.string(), tool: z.string() });
export type WaitingCall = z.infer<typeof WaitingCall>;

const Found = z.strictObject({
  tool: z.string().min(1).max(200).describe("As the model calls it."),
  mount: z.string().max(200).describe("Which server it is that is mounted under this name."),
  input_schema: z.unknown(),
  hints: z
    .array(z.enum(["read_only", "destructive", "open_world"]))
    .max(3)
    .default([]),
});

export const TakeCall = z.strictObject({
  agent: Name.optional().describe("Which agent; an agent is always itself."),
  fence: z.int().min(1).describe("As runtime_start gave it."),
  id: Id.describe("As runtime_next gave it."),
  holder: z.string().min(1).max(100).describe("What the policy allows is claimed at once by this holder."),
  found: Found.optional().describe("The tool that is meant."),
  refused: z
    .strictObject({ code: z.enum(["UNKNOWN_SERVER", "UNKNOWN_TOOL", "SERVER_AWAY"]), error: z.string().max(2000) })
    .optional()
    .describe("Instead, why there is none."),
});
export type TakeCall = z.infer<typeof TakeCall>;

export const Taken = z.object({
  requested: Requested.nullable().describe("What the policy says of it; null where there is nothing to run."),
});
export type Taken = z.infer<typeof Taken>;
