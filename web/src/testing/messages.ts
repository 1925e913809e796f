import type { Message } from "#lib/hub/types.ts";

/** A message of an agent's, a second after the one before it. */
export const messageOf = (id: number, more: Partial<Message> = {}): Message => ({
  id: String(id),
  ts: new Date(Date.UTC(2026, 0, 5, 12) + id * 1000).toISOString(),
  author: "assistant",
  author_principal: "scout",
  mime: "text/markdown",
  content: `message ${id}`,
  ...more,
});

/** Those with the ids `from` to `to`, both included. */
export const messagesOf = (from: number, to: number): Message[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => messageOf(from + at));
