/** Which hooks there are, and how each client is told to call them. */
import { text } from "../core/command.ts";

export const CLIENTS = ["claude", "codex"] as const;
/** For every command that a client's settings name. */
export const CLIENT = text("CLIENT", "claude or codex", { choices: CLIENTS, default: "claude" });
export type HookClient = (typeof CLIENTS)[number];

export const EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "PostToolBatch",
  "PreCompact",
  "Notification",
  "PermissionRequest",
  "PreToolUse",
] as const;
export type HookEvent = (typeof EVENTS)[number];
/** Of a session with an agent of its own. The other is of what the hub has started. */
export type SessionEvent = Exclude<HookEvent, "PreToolUse">;

/** However it is spelled: `SessionStart`, `session-start`. */
export function eventNamed(given: string): HookEvent | undefined {
  const bare = (name: string): string => name.replace(/[-_]/g, "").toLowerCase();
  return EVENTS.find((event) => bare(event) === bare(given));
}

/** As identities name the programs. */
export const PROGRAMS: Readonly<Record<HookClient, string>> = { claude: "claude-code", codex: "codex" };
