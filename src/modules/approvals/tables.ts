import type { Door } from "../../context.ts";
import type { CauseColumns } from "../../feed/index.ts";
import type { Covers, Executes, Ruling, State, Verdict } from "./schema.ts";

export type PolicyRow = {
  version: number;
  /** Of the event that told of it. */
  id: number;
  /** JSON. */
  document: string;
  rules: number;
  set_by: string;
  note: string;
};

/** What a call was, and what became of it. Where people were asked its notice has the same id, and the state. */
export type ApprovalRow = CauseColumns & {
  id: number;
  agent_id: string;
  key: string;
  call_id: string;
  server: string;
  mount: string;
  tool: string;
  /** Canonical JSON, the text that is shown, digested and run. */
  arguments: string;
  digest: string;
  covers: Covers;
  executes: Executes;
  editable: number;
  /** JSON. */
  verdicts: string;
  about: string;
  /** JSON; null for none. */
  hints: string | null;
  /** JSON. */
  input_schema: string | null;
  policy_version: number;
  /** What the policy said; `failed` where that could not be worked out. */
  ruled: Ruling | "failed";
  decision: Verdict | null;
  /** By which way who decided it came. */
  decided_via: Door | null;
  /** The policy's, then the person's. */
  reason: string | null;
  edited_arguments: string | null;
  edited_digest: string | null;
  /** `withdrawn` where that was after a person had approved it; before, its notice is. */
  progress: "executing" | "completed" | "failed" | "unknown" | "withdrawn" | null;
  holder: string | null;
  fence: number;
  executing_at: string | null;
  ended_at: string | null;
  /** The person who called it; null where the agent did. */
  called_by: string | null;
  /** When a call of the hub's tools used it up: it counts for none after that. */
  taken_at: string | null;
};

/** With its state, which is the notice's wherever that has one. */
export type StatedApprovalRow = ApprovalRow & {
  state: State;
  agent: string;
  called_by_name: string | null;
  /** Null for what no person was asked. */
  notice_state: string | null;
  expires_at: string | null;
  settled_by_name: string | null;
  settled_at: string | null;
};

/** A rule that somebody would have; its notice has the same id, and the state. */
export type ProposalRow = {
  id: number;
  proposer_id: string;
  /** JSON. */
  rule: string;
  digest: string;
  reason: string;
  accepted: number | null;
  version: number | null;
};

export type StatedProposalRow = ProposalRow & {
  proposed_by: string;
  notice_state: string;
  settled_by_name: string | null;
  settled_at: string | null;
};
