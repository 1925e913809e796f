import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Name } from "../../identity/index.ts";
import { RuntimeOf } from "./agents.ts";

export const ForkAgent = z.strictObject({
  agent: Name.describe("Whose timeline."),
  at_id: Id.describe("The item of it up to which the new agent knows everything."),
  name: Name.describe("What the new agent is called."),
});
export type ForkAgent = z.infer<typeof ForkAgent>;

export const Forked = z.object({
  agent: Name,
  forked_from: Name,
  at_id: Id.describe("Up to where it knows the other's log: results of what was called there are in it."),
  token: z.string().describe("Shown this once."),
  token_id: z.string(),
  in_hub: z.boolean().describe("Whether the hub runs it, as it runs the other."),
});
export type Forked = z.infer<typeof Forked>;

export const SetTools = RuntimeOf.extend({ on: z.boolean().describe("Whether it may use tools.") });
export type SetTools = z.infer<typeof SetTools>;
