/** What events of chats hold, and what each reader is told of them: nobody else looks into their data. */
import type { TxCtx } from "../../../context.ts";
import { defineEvent, type EventView, type FeedEvent } from "../../../feed/index.ts";
import { formatId, timeOfId } from "../../../ids.ts";
import { isDefaulted } from "../../identity/index.ts";
import type { Message } from "../schema.ts";

export const TOPIC = "chat";

type Posted = {
  /** Null where there is no agent yet. */
  agent: string | null;
  author: Message["author"];
  /** Whether it was the default agent's when it was said. */
  default?: true;
};
const posted = defineEvent<Posted>({ topic: TOPIC, type: "chat.posted" });
const isPosted = posted.is;

interface NewMessage {
  id: number;
  inbox_id: number;
  agent: string | null;
  author: Message["author"];
  is_default: boolean;
  /** What a hint brings along; undefined where it is too large for that. */
  live: Pick<Message, "author_principal" | "mime" | "content"> | undefined;
}

/** The message has the event's id. */
export const tellPosted = (ctx: TxCtx, message: NewMessage): Promise<number> => {
  const { id, inbox_id, agent, author, is_default, live } = message;
  const data: Posted = is_default ? { agent, author, default: true } : { agent, author };
  return posted.append(ctx, { id, stream: formatId(inbox_id), data, live });
};

/** Followers of the topic learn who spoke in whose chat, and read the rest. */
export const wire: EventView = posted.view(({ agent, author }) => ({ agent, author }));

/** Whose chat it is about, where it is about one. */
export const chatHint: EventView = (event) => (isPosted(event) ? { agent: event.data.agent } : {});

export const messageHint: EventView = (event) => {
  if (!isPosted(event)) return null;
  const { id, data, live } = event;
  if (typeof live !== "object" || live === null) return {};
  return { messages: [{ id: formatId(id), ts: timeOfId(id), author: data.author, ...live }] };
};

/** Only what people say is a reason to read the inbox again: an agent is not told of its own words. */
export const fromPeopleHint: EventView = (event) =>
  isPosted(event) && event.data.author === "user" ? messageHint(event) : null;

const isOfDefault = (event: FeedEvent): boolean =>
  isDefaulted(event) || (isPosted(event) && event.data.default === true);

/** Of the default agent, whoever that is when something is said; that it is another one now is told too. */
const ofDefault =
  (hint: EventView): EventView =>
  (event) => {
    if (!isOfDefault(event)) return null;
    return isDefaulted(event) ? {} : hint(event);
  };
export const defaultMessageHint = ofDefault(messageHint);
export const defaultFromPeopleHint = ofDefault(fromPeopleHint);

/** Any change of an agent may be which of them is the default one. */
export const defaultStatusHint: EventView = (event) => (event.topic !== TOPIC || isOfDefault(event) ? {} : null);
