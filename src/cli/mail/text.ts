/** Mail for people: one line each in a list, or whole. What others wrote is made harmless, quoted or indented. */

import { visible, visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { remaining } from "../core/duration.ts";
import { enclosedLines } from "../core/envelope.ts";
import type { Output } from "../core/output.ts";
import { fitted } from "../core/table.ts";
import { counted, plural } from "../core/words.ts";
import type { Mail, MailItem, Polled } from "./call.ts";

type Line = Pick<MailItem, "from" | "subject" | "priority" | "deadline" | "overdue"> & { offered?: number };

/** In quotation marks that nothing inside can close. */
export const quoted = (text: string): string => `"${visibleLine(text.replace(/["\\]/g, "\\$&"))}"`;

/** `From: ana - "Build is red" (deadline: 2h)`, as substrate writes it. */
export function line({ from, subject, priority, deadline, overdue, offered }: Line): string {
  const urgent = priority === "urgent" ? "[URGENT] " : "";
  const due = overdue ? " (OVERDUE)" : deadline ? ` (deadline: ${remaining(deadline)})` : "";
  return `${urgent}From: ${visibleLine(from)} - ${quoted(subject)}${due}${offered ? " (offered before)" : ""}`;
}

const MOST_LISTED = 5;
/** The hub counts no further. */
const MOST_OF_THREAD = 100;

type Counted = Pick<Polled, "messages" | "unread" | "urgent">;

/** Why a hook does not let its agent stop. */
export function hookReason({ messages, unread, urgent }: Counted, cli: Pick<Cli, "line">): string {
  const listed = messages.slice(0, MOST_LISTED).map((message) => `- ${line(message)}`);
  const more = unread > listed.length ? `  ... and ${unread - listed.length} more\n` : "";
  const urgency = urgent > 0 ? ` (${urgent} URGENT)` : "";
  return `You have ${counted(unread, "unread message")}${urgency}:\n${enclosedLines(listed)}\n${more}\nUse \`${cli.line("inbox")}\` to see all messages.`;
}

/** The same as text that a hook adds to what its model reads. Nothing when there is nothing. */
export function contextLines({ messages, unread, urgent }: Counted, cli: Pick<Cli, "line">): string {
  if (messages.length === 0) return "";
  const others = unread - urgent > 0 ? ` and ${unread - urgent} other` : "";
  const count =
    urgent > 0 ? `${urgent} URGENT${others} unread ${plural(unread, "message")}` : counted(unread, "unread message");
  const more = unread > messages.length ? [`  ... and ${unread - messages.length} more`] : [];
  return [
    `[Parley Mail] You have ${count}:`,
    enclosedLines(messages.map((message) => `- #${message.id} ${line(message)} (thread: ${message.thread_id})`)),
    ...more,
    "",
    `Use \`${cli.line("inbox")}\` to see details, or \`${cli.line("read <id>")}\` to read a message.`,
  ].join("\n");
}

/** A list for a person. */
export function listed(messages: readonly MailItem[], out: Output, { sent = false } = {}): string {
  return messages.map((message) => entry(message, out, sent)).join("\n");
}

function entry(message: MailItem, out: Output, sent: boolean): string {
  const { id, from, subject, sent_at, deadline, overdue, topic, preview, trust, thread_size } = message;
  const about = [
    sent
      ? `  To: ${recipientsOf(message)}`
      : `  From: ${visibleLine(from)}${trust === "principal" ? " (a person)" : ""}`,
    ...(topic ? [`Topic: ${visibleLine(topic)}`] : []),
    visibleLine(out.time(sent_at)),
    ...(thread_size > 1 ? [`${thread_size}${thread_size >= MOST_OF_THREAD ? "+" : ""} in its thread`] : []),
    ...(deadline ? [`Deadline: ${visibleLine(out.time(deadline))}${overdue ? " OVERDUE" : ""}`] : []),
  ];
  const before = `${marks(message, out)}#${visibleLine(id)}: `;
  const heading = `${before}${out.bold(fitted(visibleLine(subject), roomAfter(before, out)))}`;
  const says = preview ? [fitted(indented(preview.replace(/\s+/g, " ")), out.width)] : [];
  return [heading, out.dim(fitted(about.join(" | "), out.width)), ...says].join("\n");
}

const LEAST_SUBJECT = 10;

const roomAfter = (before: string, { width }: Output): number | undefined =>
  width === undefined ? undefined : Math.max(LEAST_SUBJECT, width - before.length);

function recipientsOf({ to, recipients }: MailItem): string {
  const more = recipients - to.length;
  return `${to.map(visibleLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function marks({ priority, read_at, acked_at, state, snoozed_until }: MailItem | Mail, out: Output): string {
  return [
    ...(priority === "urgent" ? ["[URGENT] "] : priority === "low" ? ["[low] "] : []),
    ...(state === "inbox" && !read_at && !snoozed_until ? ["* "] : []),
    ...(snoozed_until ? [`[snoozed until ${visibleLine(out.time(snoozed_until))}] `] : []),
    ...(state === "archived" || state === "trash" ? [`[${state}] `] : []),
    ...(acked_at ? ["[acknowledged] "] : []),
  ].join("");
}

/** One mail with everything in it. */
export function whole(mail: Mail, out: Output): string {
  const { id, thread_id, from, to, trust, subject, deadline, overdue, topic, sent_at, body } = mail;
  return [
    `${marks(mail, out)}${out.bold(`#${visibleLine(id)}: ${visibleLine(subject)}`)}`,
    `From: ${visibleLine(from)}${trust === "principal" ? " (a person)" : ""}`,
    `To: ${to.map(visibleLine).join(", ")}`,
    ...(topic ? [`Topic: ${visibleLine(topic)}`] : []),
    `Sent: ${visibleLine(out.time(sent_at))}`,
    `Thread: ${visibleLine(thread_id)}`,
    ...(deadline ? [`Deadline: ${visibleLine(out.time(deadline))}${overdue ? " OVERDUE" : ""}`] : []),
    "",
    indented(body),
  ].join("\n");
}

/** What somebody wrote can pass for no line of ours. */
const indented = (text: string): string =>
  visible(text)
    .split("\n")
    .map((each) => `  ${each}`.trimEnd())
    .join("\n");
