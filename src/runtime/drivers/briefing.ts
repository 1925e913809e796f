/** What a program is told: in a session that it goes on with what is new, in a fresh one all that there was. */
import type { ModelMessage } from "./driver.ts";
import type { Assignment } from "./program.ts";
import type { Session } from "./sessions.ts";

/** Of a long conversation a fresh session is told the end. */
const MOST_TOLD = 100_000;
const MOST_RESULT = 2000;

const GO_ON =
  "<system notification>\nYou were interrupted. Look at what became of what you were doing, and go on.\n</system notification>";

/** Each message by itself. */
export function briefing(assignment: Assignment, is_fresh: boolean): string[] {
  const { system, messages, news } = assignment;
  const contents = news.map(({ content }) => content);
  if (!is_fresh) return contents;
  const before = messages
    .slice(0, messages.length - news.length)
    .map(told)
    .join("\n\n");
  const shown = before.length > MOST_TOLD ? `…${before.slice(-MOST_TOLD).toWellFormed()}` : before;
  return [system, ...(shown ? [`What was said and done so far:\n\n${shown}`] : []), ...contents];
}

/** For a session that goes on: what it has been given it is not given again, though nothing of its answer came through. */
export function newsFor({ given_id }: Session, { news }: Assignment): string[] {
  const unknown = news.filter(({ id }) => Number(id) > Number(given_id)).map(({ content }) => content);
  return unknown.length > 0 ? unknown : [GO_ON];
}

function told(message: ModelMessage): string {
  if (message.role === "user") return `They said: ${message.content}`;
  if (message.role === "tool") return `${message.tool} gave: ${message.output.slice(0, MOST_RESULT).toWellFormed()}`;
  const calls = message.calls.map(({ tool, arguments: args }) => `You called ${tool} ${args}`);
  return [...(message.text ? [`You thought: ${message.text}`] : []), ...calls].join("\n");
}
