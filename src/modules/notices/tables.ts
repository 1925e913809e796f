import type { CauseColumns } from "../../feed/index.ts";
import type { State } from "./schema.ts";

/** Who raised what no agent did. No principal has this id. */
export const BY_HUB = "hub";

export type NoticeRow = CauseColumns & {
  id: number;
  /** The agent's principal, or `BY_HUB`. */
  raised_by: string;
  key: string;
  /** What else it tells of while it is open, and of how many it does. */
  gathers: string | null;
  times: number;
  /** The principal that alone is told; null for all people. */
  audience: string | null;
  /** Null where it is that of its words. */
  digest: string | null;
  kind: string;
  /** By which tool of another module it is answered, which has its details and sees to its end; null for `notice_settle`. */
  tool: string | null;
  title: string;
  /** For several: `{times}` stands for how many. */
  title_many: string | null;
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
export type NamedNoticeRow = NoticeRow & {
  raised_by_name: string | null;
  settled_by_name: string | null;
  audience_name: string | null;
  by_principal_id: string;
};

/** One of what a notice tells of, by the id of the event that told of it. There only while the notice is open. */
export type ItemRow = { notice_id: number; id: number; kind: string; topic: string; ref: number; text: string };

/** With who acted for whoever raised it. */
export type NewNoticeRow = Omit<NoticeRow, "times" | "state" | "choice" | "settled_by" | "settled_at"> & {
  by_principal_id: string;
};
