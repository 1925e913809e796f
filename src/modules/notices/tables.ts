import type { State } from "./schema.ts";

/** Who raised what no agent did. No principal has this id. */
export const BY_HUB = "hub";

export type NoticeRow = {
  id: number;
  /** The agent's principal, or `BY_HUB`. */
  raised_by: string;
  key: string;
  /** What else it tells of while it is open, and how often it was raised. */
  gathers: string | null;
  times: number;
  kind: string;
  title: string;
  text: string;
  topic: string | null;
  ref: number | null;
  /** JSON. */
  agents: string | null;
  /** JSON. */
  choices: string | null;
  expires_at: string | null;
  state: State;
  choice: string | null;
  settled_by: string | null;
  settled_at: string | null;
};

/** With the names that people know. */
export type NamedNoticeRow = NoticeRow & { raised_by_name: string | null; settled_by_name: string | null };

export type NewNoticeRow = Omit<NoticeRow, "times" | "state" | "choice" | "settled_by" | "settled_at">;
