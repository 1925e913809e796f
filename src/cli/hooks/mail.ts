/** Mail as a hook and a waiter ask for it, and as they tell a model of it. */
import type { Polled } from "../../modules/mail/index.ts";
import type { Client } from "../client.ts";
import { envelope, MOST_CHARACTERS, plainLine } from "../envelope.ts";

export type { Polled };

interface Poll {
  /** By which way it is offered: what the sender sees. */
  channel: string;
  fresh?: boolean;
}

/** So many that each can be shown, if only in part: what is asked for counts as offered. The rest is counted. */
export const LIMIT = 6;

export async function poll(client: Client, { channel, fresh = false }: Poll): Promise<Polled> {
  const ask = (fresh: boolean) => client.call<Polled>("mail_poll", { limit: LIMIT, bodies: true, channel, fresh });
  const polled = await ask(fresh);
  // Urgent mail that nobody reads comes first each time. It must not hide what is new behind it.
  const hidden = polled.unread > polled.messages.length && polled.messages.every(({ offered }) => offered > 0);
  if (fresh || !hidden) return polled;
  const newer = await ask(true);
  return newer.messages.length > 0 ? newer : polled;
}

/**
 * In `limit` characters. What was shown before is named, not shown again. Whatever a sender wrote, its subject too,
 * stands in an envelope and nowhere else.
 */
export function digest(polled: Polled, limit = MOST_CHARACTERS): string {
  const fresh = polled.messages.filter(({ offered }) => offered === 0);
  const before = polled.messages.filter(({ offered }) => offered > 0);
  const head = headline(polled);
  const tail = [...(before.length > 0 ? [shownBefore(before)] : []), HOW].join("\n");
  const room = limit - head.length - tail.length - 4;
  const shown = envelope(fresh, { total: polled.unread - before.length, limit: room });
  return [head, shown, tail].filter((part) => part !== "").join("\n\n");
}

/** `You have 2 unread messages (1 URGENT):` */
function headline({ unread, unread_more, urgent, messages }: Polled): string {
  const count = Math.max(unread, messages.length);
  const what = `${count}${unread_more ? "+" : ""} unread message${count === 1 && !unread_more ? "" : "s"}`;
  return `You have ${what}${urgent > 0 ? ` (${urgent} URGENT)` : ""}:`;
}

const HOW =
  "`parley read ID` shows one whole, `parley reply ID --body TEXT` answers it, `parley ack ID` says that it is dealt with.";

const shownBefore = (messages: Polled["messages"]): string =>
  `Shown before and not read yet: ${messages.map(({ id, from }) => `${id} from ${plainLine(from)}`).join(", ")}.`;
