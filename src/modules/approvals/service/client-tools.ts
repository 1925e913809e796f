/**
 * What is known of the tools that clients of agents bring along: what runs commands, changes files or fetches from
 * outside is of medium risk, and so is whatever nobody knows here. Only what is known to do no more than read is low.
 */
import type { Executes, Risk } from "../schema.ts";
import { HUB_SERVER } from "./built-in.ts";

/** As the hooks, the channel, the runner and the drivers call them. */
const CLAUDE_CODE = "claude-code";
const CLIENTS: readonly string[] = [CLAUDE_CODE, "codex", "acp"];

/**
 * Of Claude Code alone: its own tools have fixed names, and those of servers that it was given all begin with `mcp__`.
 * Codex asks about nothing that only reads; and what a tool of ACP is called, or of which kind it is, the program says.
 */
const READS: ReadonlySet<string> = new Set([
  ...["Read", "NotebookRead", "Glob", "Grep", "LS", "BashOutput", "ToolSearch"],
  // The list of what it means to do, which is nobody else's.
  ...["TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"],
]);

interface ClientCall {
  server: string;
  tool: string;
  executes: Executes;
}

/** Undefined for what no client runs, and for the hub's own tools. */
export function clientRisk({ server, tool, executes }: ClientCall): Risk | undefined {
  // By both: neither another name for the program nor another one who runs it makes less of it.
  if (server === HUB_SERVER || !(executes === "client" || CLIENTS.includes(server))) return undefined;
  return server === CLAUDE_CODE && READS.has(tool) ? "low" : "medium";
}
