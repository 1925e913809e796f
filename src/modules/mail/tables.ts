import type { PrincipalKind } from "../../context.ts";
import type { CauseColumns } from "../../feed/index.ts";
import type { CopyState, Priority } from "./schema.ts";

/** Without a cause where it is the mail that it answers. */
export type NewMailRow = CauseColumns & {
  id: number;
  thread_id: number;
  in_reply_to: number | null;
  sender_id: string;
  /** The orchestrator that acted for the sender. */
  by_principal_id: string | null;
  /** The names it was sent to, as JSON: it stays what it was when copies are gone. */
  recipients: string;
  /** The names of everybody in the thread so far, as JSON: those of its last mail are the thread's. */
  participants: string;
  subject: string;
  /** Empty where it is the body. */
  preview: string;
  priority: Priority;
  deadline: string | null;
  topic: string | null;
  bytes: number;
  body: string;
};

export type NewCopyRow = {
  id: number;
  mail_id: number;
  principal_id: string;
  priority: Priority;
  /** 1 where it waits for its recipient, a person, until that has dealt with it. */
  asks: number | null;
};

export type CopyRow = {
  id: number;
  mail_id: number;
  principal_id: string;
  position: number;
  state: CopyState;
  read_at: string | null;
  acked_at: string | null;
  snoozed_until: string | null;
  snooze_id: number | null;
  /** How often it was offered since it came to the inbox, or came back as new. */
  offered: number;
};

/** A copy with what its mailbox's changes have to tell: in which thread it lies, and who waits for it to be read, until when. */
export type HeldRow = CopyRow & { thread_id: number; sender_id: string; sender: string; deadline: string | null };

/** A mail as one mailbox sees it: without a state where it was sent from there. */
export type MailRow = Omit<
  NewMailRow,
  "body" | "by_principal_id" | "participants" | "sender_id" | keyof CauseColumns
> & {
  sender: string;
  sender_kind: PrincipalKind;
  position: number;
  state: CopyState | null;
  read_at: string | null;
  acked_at: string | null;
  snoozed_until: string | null;
};

/** How many mails of its thread the mailbox sees, counted no further than `MOST_OF_THREAD`. */
export type ListedRow = MailRow & { thread_size: number };

export type FullMailRow = MailRow & { body: string };

/** What it was and why, and whether it is in a mailbox, or in any agent's. */
export type WrittenRow = CauseColumns & {
  by: string;
  subject: string;
  in_reply_to: number | null;
  own: 0 | 1;
  among_agents: 0 | 1;
};

/** What came to an agent from agents, and through whom. */
export type TrailRow = {
  principal_id: string;
  /** `Step`s, as JSON. */
  steps: string;
  /** The highest count of its steps. */
  turns: number;
  person_at: string;
  last_at: string;
};
