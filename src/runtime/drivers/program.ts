/** A whole agent program: it asks its own model and runs its own tools, and tells what it does. */

import type { Mask } from "../../local/secrets.ts";
import type { News } from "../history.ts";
import type { Driver, ModelMessage } from "./driver.ts";

/** As the approvals of what an agent asks for by ACP are called. */
export const ACP_SERVER = "acp";

/** What a program is given to do. */
export interface Assignment {
  system: string;
  /** What was said and done so far; what no answer has seen stands at the end. */
  messages: readonly ModelMessage[];
  /** Those at the end that no answer has seen. */
  news: readonly News[];
  turn_id: string;
  /** The newest turn in which anything was answered, by whatever driver. */
  answered_turn_id: string | null;
  /** With which it acts in the hub: what it does with it has the turn as its cause. The same for all turns of a runtime. */
  token: string;
}

/** A call that the program itself makes, under an id of its own. */
export interface ProgramCall {
  id: string;
  tool: string;
  /** A JSON object. */
  arguments: string;
}

export interface PermissionRequest {
  /** Of the call it is about, if the program has told of it. */
  id: string;
  server: string;
  tool: string;
  /** Undefined where the program does not say what it would do it with. */
  arguments: object | undefined;
  about: string;
  /** Whether the program can be told that this once is allowed. */
  can_allow: boolean;
  /** Whether the program runs it with other arguments, where a person has changed them. */
  can_edit?: boolean;
  /** Whether it can be told why not; else its next prompt says so. */
  takes_reason?: boolean;
}

export interface Permission {
  permission: "allow" | "deny" | "cancelled";
  /** What its model is told. */
  says: string;
  /** What a person has put in the place of the arguments. */
  edited?: object;
}

/** Where a program tells what it does. Nothing of it is shown as chat. */
export interface ProgramReport {
  wrote(text: string): void;
  called(call: ProgramCall): void;
  returned(id: string, result: { outcome: "done" | "failed"; output: string }): void;
  /** What it has used since it last said so. */
  spent(usage: Usage): void;
  /** However long a person takes; taken back when the signal ends it. */
  ask(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
}

export interface Usage {
  cost_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
}

/** What it throws is the end of the turn, told to a person. */
export interface ProgramDriver {
  readonly name: string;
  /** As the hub's own server is called there. */
  readonly hub_server: string;
  /** Takes out of what it tells what it was given in confidence. */
  readonly mask: Mask;
  work(assignment: Assignment, report: ProgramReport, signal: AbortSignal): Promise<void>;
  /** Nothing of the program is left after that. */
  close(): Promise<void>;
}

export const isProgram = (driver: Driver | ProgramDriver): driver is ProgramDriver => "work" in driver;
