/** What a hook prints. Clients cut off what is longer than they like, so nothing here is. */
import { MOST_CHARACTERS } from "../envelope.ts";
import type { HookEvent } from "./events.ts";
import { digest, type Told } from "./mail.ts";

/** For those that decide something the empty answer is an object; for those that only add context it is nothing. */
export const nothing = (event: HookEvent): string => (event === "Stop" || event === "SubagentStop" ? "{}" : "");

/** The model goes on, and is told why. */
export const goOn = (told: Told): string =>
  within((limit) => JSON.stringify({ decision: "block", reason: digest(told, limit) }));

/** Beside what the person said, or before it. */
export const context = (event: "SessionStart" | "UserPromptSubmit", parts: (limit: number) => string): string =>
  within((limit) => JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: parts(limit) } }));

export const introduction = (agent: string): string =>
  `You are ${agent} on Parley, a hub where people and agents write to each other. \`parley inbox\` shows your mail, \`parley send --to NAME --subject S --body B\` writes to somebody, \`parley agent list\` says who there is.`;

/** JSON spells line ends and quotes with two characters, so what is inside may have to be shorter. */
function within(make: (limit: number) => string): string {
  for (let limit = MOST_CHARACTERS; ; limit = Math.floor(limit * 0.9)) {
    const answer = make(limit);
    if (answer.length <= MOST_CHARACTERS || limit < 1_000) return answer;
  }
}
