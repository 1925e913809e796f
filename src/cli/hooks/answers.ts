/** What a hook prints. Clients cut off what is longer than they like, so nothing here is. */
import { MOST_CHARACTERS } from "../core/envelope.ts";
import type { HookClient, HookEvent } from "./events.ts";

/** For those that decide something the empty answer is an object; for those that only add context it is nothing. */
export const nothing = (event: HookEvent): string => (event === "Stop" || event === "SubagentStop" ? "{}" : "");

/**
 * The model goes on, and is told why. Claude Code does so for mere context, where it would show a `block` to people as an
 * error; Codex knows no other way.
 */
export const continueTurn = (client: HookClient, text: (limit: number) => string): string =>
  client === "claude"
    ? context("Stop", text)
    : within((limit) => JSON.stringify({ decision: "block", reason: text(limit) }));

/** Beside what the person said, before it, or as a reason to go on. */
export const context = (
  event: "SessionStart" | "UserPromptSubmit" | "PostToolBatch" | "Stop",
  parts: (limit: number) => string,
): string =>
  within((limit) => JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: parts(limit) } }));

/** JSON spells line ends and quotes with two characters, so what is inside may have to be shorter. */
function within(make: (limit: number) => string): string {
  for (let limit = MOST_CHARACTERS; ; limit = Math.floor(limit * 0.9)) {
    const answer = make(limit);
    if (answer.length <= MOST_CHARACTERS || limit < 1_000) return answer;
  }
}
