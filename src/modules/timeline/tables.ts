import type { ErrorCode } from "../../errors.ts";
import type { CauseColumns } from "../../feed/index.ts";
import type { Outcome, RunStatus } from "./schema.ts";

export type RuntimeRow = {
  principal_id: string;
  /** How often one was started: the number of the last one, whose writes alone count. */
  fence: number;
  driver: string | null;
  started_at: string | null;
  seen_at: string | null;
  /** When it said that it has stopped, or was given up. */
  ended_at: string | null;
  /** The turn that runs. */
  turn_id: number | null;
  /** What came up to here was in what a model has answered, or in a turn that is over. */
  taken_id: number;
  abort_turn_id: number | null;
  /** Who has that turn aborted. */
  abort_by: string | null;
  paused_at: string | null;
  paused_by: string | null;
  /** JSON of `Mounts`. */
  mounts: string;
  /** How the hub itself runs it, as JSON; null where it does not. */
  in_hub: string | null;
  /** Of one that was begun from another's log: whose, and up to which entry of it. */
  forked_from: string | null;
  forked_at: number | null;
  /** Since when it may not use tools; null where it may. */
  tools_off_at: string | null;
  /** With which the program acts that does its turns; null where a model does them. */
  token_id: string | null;
  /** Whose quota its turns use; null for the default one. */
  account: string | null;
};

export type SubscriptionRow = {
  principal_id: string;
  server: string;
  uri: string;
  is_pinned: number;
  is_present: number;
  /** Which start of the runtime follows it; null where none could. */
  active_fence: number | null;
  created_at: string;
  last_error: string | null;
};

export type MarkRow = Pick<SubscriptionRow, "principal_id" | "server" | "uri"> & {
  last_id: number;
  updated_at: string;
};

/** `body` is JSON; a text of it that is long stands in `run_event_texts` as a whole. */
export type EventRow = {
  id: number;
  principal_id: string;
  turn_id: number | null;
  type: string;
  key: string;
  body: string;
  bytes: number;
};

export type TurnRow = CauseColumns & {
  id: number;
  principal_id: string;
  fence: number;
  status: RunStatus;
  outcome: Outcome | null;
  error: string | null;
  ended_at: string | null;
  cost_micros: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
};

/** What a person calls of an agent's servers: `waiting` until a runtime takes it, and then an approval. */
export type CallRow = CauseColumns & {
  id: number;
  agent_id: string;
  called_by: string;
  key: string;
  server: string;
  tool: string;
  /** Canonical JSON. */
  arguments: string;
  state: "waiting" | "taken" | "refused" | "lapsed";
  /** By then a runtime has taken it, or none ever does. */
  expires_at: string;
  approval_id: number | null;
  /** Why it was refused. */
  code: ErrorCode | null;
  error: string | null;
};

/** What people see, beside what was said, which stands in the chat alone. */
export type ItemRow = {
  id: number;
  principal_id: string;
  kind: string;
  key: string;
  body: string;
  changed_id: number;
};
