import type { Config } from "../../../config.ts";
import type { Priority, Reason } from "../schema.ts";

type Rules = Pick<Config, "pause_threshold" | "pause_phases" | "pause_phrase">;

interface Situation {
  open: readonly { priority: Priority; blocking: boolean }[];
  /** The phase that begins, if one does, and the one it was before. */
  phase: string | undefined;
  before: string | null;
  /** What an agent said last. */
  output: string | undefined;
}

/** Whether a workflow stops to have its questions answered, and by which of the four rules. */
export function pauseReason({ open, phase, before, output }: Situation, rules: Rules): Reason | undefined {
  if (open.some(({ blocking, priority }) => blocking && priority === "high")) return "immediate";
  if (output?.toLowerCase().includes(rules.pause_phrase.toLowerCase())) return "explicit_request";
  const begins = phase !== undefined && before !== null && phase !== before;
  const counts = rules.pause_phases.length === 0 || (phase !== undefined && rules.pause_phases.includes(phase));
  if (open.length > 0 && begins && counts) return "phase_boundary";
  return open.length > rules.pause_threshold ? "threshold" : undefined;
}
