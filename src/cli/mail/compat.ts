/** Mail under the names that substrate's JSON has, for scripts that were written for it, and without what is empty. */
import { isObject } from "../../client/errors.ts";
import type { Shape } from "./call.ts";

type Thing = Record<string, unknown>;

export function shaped(value: object, { compact, compat }: Shape): unknown {
  const named = compat ? goNames(value) : value;
  return compact ? withoutEmpty(named) : named;
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null && each !== "" && each !== undefined);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutEmpty(each)]));
}

export function goNames(value: object): object {
  const { messages, next, ...rest } = value as Thing;
  if (Array.isArray(messages)) {
    // `mail_poll` says how it ended; the lists say where the next page begins.
    if ("ended" in rest) return { new_messages: messages.map(goMail) };
    return { items: messages.map(goMail), ...(typeof next === "string" && { next_page_token: next }) };
  }
  if ("subject" in value) return goMail(value);
  return "to" in value && "id" in value ? { message_id: value.id, thread_id: rest.thread_id } : value;
}

function goMail(mail: Thing): Thing {
  return {
    ID: mail.id,
    ThreadID: mail.thread_id,
    TopicID: mail.topic ?? null,
    SenderName: mail.from,
    Subject: mail.subject,
    Body: mail.body ?? mail.preview,
    Priority: mail.priority,
    Deadline: mail.deadline,
    State: stateOf(mail),
    SnoozedUntil: mail.snoozed_until,
    ReadAt: mail.read_at,
    AckedAt: mail.acked_at,
    CreatedAt: mail.sent_at,
  };
}

function stateOf({ state, read_at, snoozed_until }: Thing): unknown {
  if (state !== "inbox") return state;
  if (snoozed_until) return "snoozed";
  return read_at ? "read" : "unread";
}
