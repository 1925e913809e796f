import type { Case, Lookup } from "../../../tool.ts";

/** What a command's word means that names an agent. */
export const AGENT: Lookup = {
  what: "agent",
  tool: "agent_list",
  args: { all: true },
  list: "agents",
  field: "name",
  code: "AGENT_NOT_FOUND",
};

/** How an agent is in one word, as the page says it: what it reported counts only while it is there. */
const STATE: readonly Case[] = [
  { when: { lifecycle: "stopped" }, says: "stopped" },
  { when: { lifecycle: "failed" }, says: "failed" },
  { when: { last_seen_at: null }, says: "not seen" },
  { when: { presence: "offline" }, says: "away" },
  { when: { lifecycle: "starting" }, says: "starting" },
  { when: { run_phase: "idle", presence: "idle" }, says: "idle" },
  { when: { run_phase: "idle" }, says: "ready" },
  { when: { run_phase: "sampling" }, says: "thinking" },
  { when: { run_phase: "tools_running" }, says: "working" },
  { when: { run_phase: "waiting_approval" }, says: "waiting for approval" },
  { when: { run_phase: "waiting_input" }, says: "waiting for you" },
  { says: "unknown" },
];

/** Agents in a list of the command line. */
export const AGENT_ROWS = {
  list: "agents",
  columns: ["name", "type", "state", "default", "project", "branch", "last_seen_at"],
  cells: { state: STATE },
} as const;
