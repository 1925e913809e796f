import type { ModelCall, ToolSpec } from "./drivers/driver.ts";
import type { ResourceHost } from "./resources.ts";

export interface ToolResult {
  outcome: "done" | "failed";
  /** As the model is told it. */
  output: string;
}

export interface CallContext {
  signal: AbortSignal;
  /** The turn it is called in, if there is one. */
  turn_id: string | undefined;
  /** Of a tool of a mounted server, which one it was when it was let through: another one is not called. */
  mount?: string | undefined;
}

/** Under this name the policy knows the hub's own tools. */
export const HUB = "parley";

/** Where a tool comes from. */
export interface Origin {
  server: string;
  /** Which server it is that is mounted under this name; empty for the hub. */
  mount: string;
  input_schema: Record<string, unknown>;
  /** What its server says of it, if anything. */
  hints?: readonly ToolHint[];
}

/** As the model calls it; or why there is none. */
export type Found = { tool: string } | { code: "UNKNOWN_SERVER" | "UNKNOWN_TOOL" | "SERVER_AWAY"; error: string };

export type ToolHint = "read_only" | "destructive" | "open_world";

export type Mounts = Record<string, { state: "starting" | "running" | "failed"; error?: string }>;

/** That something changed which a model may want to read again. */
export interface Changed {
  server: string;
  uri: string;
  /** Nobody looked for a while: it may have changed. */
  missed?: true;
}

/** The tools that a model has, wherever they come from. A call never throws for what the tool itself has against it. */
export interface Toolset {
  list(): readonly ToolSpec[];
  call(call: ModelCall, context: CallContext): Promise<ToolResult>;
  /** Undefined for what nobody has. */
  originOf(call: Pick<ModelCall, "tool" | "arguments">): Origin | undefined;
  /** A tool of a mounted server, by its server's name for it or the model's; undefined where none can be mounted. */
  find?(server: string, tool: string): Found;
  /** The servers they come from. */
  mounts(): Mounts;
  /** What the mounted servers have to be read; undefined where none can be mounted. */
  readonly resources?: ResourceHost;
  /** What changed since this was last asked. */
  takeChanges(): Changed[];
}

/** The arguments, or what is wrong with them. */
export function argumentsOf({
  tool,
  arguments: text,
}: Pick<ModelCall, "tool" | "arguments">): { args: object } | { failed: ToolResult } {
  try {
    const args: unknown = text.trim() === "" ? {} : JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args };
  } catch {
    // A model may write anything; it is told so.
  }
  return { failed: failure("INVALID_JSON", `The arguments of ${tool} are no JSON object.`) };
}

export const failure = (code: string | number, error: string): ToolResult => ({
  outcome: "failed",
  output: JSON.stringify({ error, code }),
});

const MOST_OUTPUT = 500_000;

/** What is kept of it: no database takes everything that a tool may give. */
export function keptOutput(output: string): string {
  const kept = output.length > MOST_OUTPUT ? `${output.slice(0, MOST_OUTPUT).toWellFormed()}…` : output.toWellFormed();
  return kept.replaceAll("\0", "\ufffd");
}
