import type { CauseColumns } from "../../feed/index.ts";
import type { CheckpointState, Priority, Reason, Via } from "./schema.ts";

/** What its notice does not know. */
export type QuestionRow = {
  /** The notice's. */
  id: number;
  asker_id: string;
  question: string;
  context: string;
  priority: Priority;
  blocking: number;
  /** JSON. */
  options: string | null;
  options_only: number;
  /** What to go on with if nobody answers. */
  fallback: string | null;
  answer: string | null;
  via: Via | null;
  /** Whether who settled the notice only handed in what a person said. */
  handed_in: number;
  /** The mail by which people were asked as well. */
  thread_id: number | null;
};

export type NewQuestionRow = Omit<QuestionRow, "answer" | "via" | "handed_in">;

/** With its state, which is the notice's. */
export type StatedQuestionRow = QuestionRow &
  CauseColumns & {
    asked_by: string;
    asker_ended: number;
    /** The asker, or the hub where that asks for it. */
    raised_by: string;
    state: "open" | "answered" | "expired" | "withdrawn" | "superseded";
    expires_at: string | null;
    settled_by: string | null;
    settled_by_name: string | null;
    settled_at: string | null;
    /** Where the workflow waits for it, and in which phase. */
    checkpoint_id: number | null;
    phase: string | null;
  };

/** Where a workflow stopped. */
export type CheckpointRow = {
  id: number;
  paused_by: string;
  reason: Reason;
  phase: string | null;
  state: CheckpointState;
  resumed_at: string | null;
};
