import type { ModelCall } from "./drivers/driver.ts";
import type { Origin } from "./toolset.ts";

/** What becomes of a call before it is run. */
export type Decision =
  | {
      decision: "allow";
      /** What is run, where a person has changed it. */
      arguments?: string;
      /** What was claimed for it: it ends with the note of its result. */
      approval_id?: string;
    }
  /** `output` is what the model is told. */
  | { decision: "deny_continue" | "deny_abort"; output: string };

export interface Asked {
  /** Undefined for a tool that nobody has, of which there is nothing to decide. */
  origin: Origin | undefined;
  /** The hub let it through as a call of its own tools, when it noted it. */
  allowed: boolean;
  /** What leads to it, as people are shown who are asked. */
  turn_id: string;
  signal: AbortSignal;
}

/** Who says whether a call may be run. A call that is asked about waits here, and nothing else does. */
export interface Gate {
  decide(call: ModelCall, asked: Asked): Promise<Decision>;
}
