import type { MailItem } from "./types.ts";

export interface Mark {
  /** A shape beside the words: never by colour alone. */
  sign: string;
  words: string;
  tone: "bad" | "warn" | "plain";
  /** A time that ends the words. */
  at?: string;
}

type Marked = Pick<MailItem, "priority" | "overdue" | "deadline" | "acked_at" | "snoozed_until" | "topic" | "state">;

/** What is to be known of a mail beside its text. */
export function marksOf(item: Marked): Mark[] {
  const marks: Mark[] = [];
  const { priority, overdue, deadline, acked_at, snoozed_until, topic, state } = item;
  if (priority === "urgent") marks.push({ sign: "!", words: "Urgent", tone: "bad" });
  if (priority === "low") marks.push({ sign: "↓", words: "Low", tone: "plain" });
  if (overdue) marks.push({ sign: "⚑", words: "Overdue", tone: "bad" });
  else if (deadline !== null && acked_at === null) marks.push({ sign: "⚑", words: "Due", tone: "warn", at: deadline });
  if (acked_at !== null) marks.push({ sign: "✓", words: "Acknowledged", tone: "plain" });
  if (snoozed_until !== null) marks.push({ sign: "☾", words: "Snoozed until", tone: "plain", at: snoozed_until });
  if (state === "archived") marks.push({ sign: "▣", words: "Archived", tone: "plain" });
  if (state === "trash") marks.push({ sign: "✕", words: "In the trash", tone: "plain" });
  if (topic !== null) marks.push({ sign: "§", words: topic, tone: "plain" });
  return marks;
}
