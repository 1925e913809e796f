import type { MailItem, Status } from "./types.ts";

/** To whom it went, where a list names the first of them. */
export function toWords({ to, recipients }: Pick<MailItem, "to" | "recipients">): string {
  const more = recipients - to.length;
  return `${to.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The hub counts no further. */
const MOST_OF_A_THREAD = 100;

/** How many mails a thread has, where it is more than the one in the list. */
export function sizeWords({ thread_size }: Pick<MailItem, "thread_size">): string | undefined {
  if (thread_size <= 1) return undefined;
  return `${Math.min(thread_size, MOST_OF_A_THREAD)}${thread_size >= MOST_OF_A_THREAD ? "+" : ""} mails`;
}

type Recipient = Status["recipients"][number];

const STATES: Record<Recipient["state"], string> = {
  stored: "stored, not fetched yet",
  offered: "offered",
  injected: "in its context",
  read: "read",
  acknowledged: "acknowledged",
};

export const stateWords = ({ state }: Recipient): string => STATES[state] ?? state;

/** How far a mail came, in one line: the furthest that anybody came, and how many did. */
export function deliveryWords({ recipients }: Pick<Status, "recipients">): string {
  const all = recipients.length;
  const acked = recipients.filter(({ acked_at }) => acked_at !== null).length;
  const read = recipients.filter(({ read_at, acked_at }) => read_at !== null || acked_at !== null).length;
  const reached = recipients.filter(({ state }) => state !== "stored").length;
  if (acked > 0) return `Acknowledged by ${acked} of ${all}`;
  if (read > 0) return `Read by ${read} of ${all}`;
  return reached > 0 ? `Delivered to ${reached} of ${all}` : `Saved, fetched by none of ${all} yet`;
}

/** What waits in this browser, counted. */
export function waitingWords(kept: readonly { problem?: string | undefined }[]): string {
  const refused = kept.filter(({ problem }) => problem !== undefined).length;
  const rest = kept.length - refused;
  const parts = [
    rest > 0 && `${rest} ${rest === 1 ? "mail waits" : "mails wait"} for the hub`,
    refused > 0 && `${refused} ${refused === 1 ? "mail was" : "mails were"} not sent`,
  ];
  return parts.filter((part) => part !== false).join(", ");
}
