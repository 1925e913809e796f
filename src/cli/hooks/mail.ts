/** Mail as a hook and a waiter ask for it, and as they tell a model of it. */
import type { Polled } from "../../modules/mail/index.ts";
import type { Client } from "../core/client.ts";
import { envelope, MOST_CHARACTERS, plainLine } from "../core/envelope.ts";
import type { CommandHints } from "./command-hints.ts";

export type { Polled };

type Item = Polled["messages"][number];

/** What a hook tells of: `messages` are shown, or named where they were shown before. */
export interface PolledMail extends Polled {
  /** New too, but there is no room to show them: they are named, and stay new. */
  waiting?: readonly Item[];
}

/** So many that each can be shown, if only in part: what is asked for counts as offered. */
export const LIMIT = 6;
/** Of a body, in bytes: about what the longest answer has room for. */
export const BODY_LIMIT = 16 * 1024;
/** Beside those that are shown. The rest is counted. */
const MOST_NAMED = 12;

interface Asking {
  /** By which way it is offered: what the sender sees. */
  channel: string;
  /** Whether to name the unread mail that is not shown, given whether there is any that is. */
  naming?: (something_new: boolean) => boolean;
}

/** What was never shown, with its text; and what else is unread. The hub is told later what was printed of it. */
export async function poll(client: Client, { channel, naming = () => true }: Asking): Promise<PolledMail> {
  const ask = (more: object) => client.call("mail_poll", { channel, mark: false, ...more });
  const polled = await ask({ fresh: true, limit: LIMIT, bodies: true, body_limit: BODY_LIMIT });
  const shown = polled.messages;
  if (polled.unread <= shown.length || !naming(shown.length > 0)) return polled;
  const ids = new Set(shown.map(({ id }) => id));
  const unread = (await ask({ limit: shown.length + MOST_NAMED })).messages;
  const named = unread.filter(({ id }) => !ids.has(id));
  return {
    ...polled,
    messages: [...shown, ...named.filter(({ offered }) => offered > 0)],
    waiting: named.filter(({ offered }) => offered === 0),
  };
}

/** What is unread, without its text. */
export async function names(client: Client, channel: string): Promise<PolledMail> {
  const polled = await client.call("mail_poll", { channel, mark: false, limit: MOST_NAMED });
  const isNew = ({ offered }: Item): boolean => offered === 0;
  const { messages } = polled;
  return { ...polled, messages: messages.filter((each) => !isNew(each)), waiting: messages.filter(isNew) };
}

/**
 * In `limit` characters. What was shown before is named, not shown again. Whatever a sender wrote, its subject too,
 * stands in an envelope and nowhere else.
 */
export function digest(
  mail: PolledMail,
  { hints, limit = MOST_CHARACTERS }: { hints: CommandHints; limit?: number },
): string {
  const { messages, waiting = [], unread } = mail;
  const fresh = messages.filter(({ offered }) => offered === 0);
  const before = messages.filter(({ offered }) => offered > 0);
  const head = headline(mail);
  const tail = [
    ...named("Shown before and not read yet", before),
    ...named("New, and not shown yet", waiting),
    hints.how,
  ];
  const end = tail.join("\n");
  const room = limit - head.length - end.length - 4;
  const shown = envelope(fresh, { ...hints, total: unread - before.length - waiting.length, limit: room });
  return [head, shown, end].filter((part) => part !== "").join("\n\n");
}

/** `You have 2 unread messages (1 URGENT):` */
function headline({ unread, unread_more, urgent, messages }: Polled): string {
  const count = Math.max(unread, messages.length);
  const what = `${count}${unread_more ? "+" : ""} unread message${count === 1 && !unread_more ? "" : "s"}`;
  return `You have ${what}${urgent > 0 ? ` (${urgent} URGENT)` : ""}:`;
}

const named = (what: string, messages: readonly Item[]): string[] =>
  messages.length === 0
    ? []
    : [`${what}: ${messages.map(({ id, from }) => `${id} from ${plainLine(from)}`).join(", ")}.`];
