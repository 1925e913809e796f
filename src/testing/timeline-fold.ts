import type { Entry } from "../modules/timeline/service/entries.ts";
import { wireItem } from "../modules/timeline/service/items.ts";
import { EMPTY, fold } from "../modules/timeline/service/reduce.ts";
import type { TestHub } from "./hub.ts";

/** All of it, page by page. */
export async function readAll(hub: TestHub, token: string, { limit = 500, agent = "scout", headers = {} } = {}) {
  const items: { id: string; kind: string; content?: string }[] = [];
  for (let after_id: string | null = null, more = true; more; ) {
    const { body } = await hub.call(token, "timeline_read", { agent, after_id, limit }, headers);
    items.push(...body.items);
    after_id = body.last_id;
    more = body.has_more;
  }
  return items;
}

/** The reducer over everything that happened: what was said, and the agent's log. */
export async function reduced(hub: TestHub, token: string, headers = {}) {
  const { body: log } = await hub.call(token, "runtime_log", { limit: 500 }, headers);
  const { body: chat } = await hub.call(token, "chat_read_since", { limit: 500 }, headers);
  const spoken = chat.messages.map(({ id, author, author_principal, mime, content }: Record<string, string>) => ({
    ...{ id: Number(id), turn_id: null, type: author === "user" ? "UserText" : "AssistantText" },
    ...{ chat_id: Number(id), author: author_principal, mime, content },
  }));
  const done = log.events.map((event: { id: string; turn_id: string | null; chat_id?: string }) => ({
    ...event,
    ...{ id: Number(event.id), turn_id: event.turn_id === null ? null : Number(event.turn_id) },
    ...(event.chat_id !== undefined && { chat_id: Number(event.chat_id) }),
  }));
  const entries: Entry[] = [...spoken, ...done].sort((a, b) => a.id - b.id);
  return fold(EMPTY, entries).items.map(wireItem);
}
