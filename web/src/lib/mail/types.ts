import type { Tools } from "#lib/hub/types.ts";

export type MailList = Tools["mail_inbox"]["output"];
export type MailItem = MailList["messages"][number];
export type Thread = Tools["mail_thread"]["output"];
export type Letter = Thread["messages"][number];
export type Status = Tools["mail_status"]["output"];
export type Action = Tools["mail_update"]["input"]["action"];
export type Priority = MailItem["priority"];
/** What changes when a copy is sorted. */
export type Copy = Pick<MailItem, "state" | "read_at" | "acked_at" | "snoozed_until">;
