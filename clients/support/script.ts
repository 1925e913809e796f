/** What a model is to do, step by step. A prompt names its script; each reply of the model is one step of it. */
import type { ModelRequest } from "./model-server.ts";

export interface Say {
  say: string;
}

export interface Call {
  call: string;
  /** For tools of an MCP server that the protocol names apart from it. */
  namespace?: string;
  input: Record<string, unknown>;
  /** What else it calls in the same turn. Of Claude Code's models alone. */
  beside?: readonly Call[];
}

export interface Hold {
  /** The reply is held back until a check lets it go: a turn that runs for as long as the check wants. */
  hold: string;
  then: Step;
}

/** A step may depend on what the client has just asked. */
export type Step = Say | Call | Hold | ((request: ModelRequest) => Say | Call);

export const say = (text: string): Say => ({ say: text });
export const call = (tool: string, input: Record<string, unknown> = {}): Call => ({ call: tool, input });
/** As Claude Code names a tool of ours. */
export const mcpTool = (name: string): string => `mcp__parley__${name}`;
/** As Codex does, which keeps server and tool apart. */
export const codexCall = (tool: string, input: Record<string, unknown> = {}): Call => ({
  ...call(tool, input),
  namespace: "mcp__parley",
});
/** The same where the hub has started it. */
export const codexRunCall = (tool: string, input: Record<string, unknown> = {}): Call => ({
  ...call(tool, input),
  namespace: "mcp__parley_run",
});
export const hold = (name: string, then: Step): Hold => ({ hold: name, then });

const NAMED = /Follow the script ([\w-]+)\./g;
export const promptFor = (name: string): string => `Follow the script ${name}.`;

/** The last one that is named. */
export const scriptIn = (text: string): string | undefined => [...text.matchAll(NAMED)].at(-1)?.[1];
