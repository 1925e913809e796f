import type { CauseColumns } from "../../feed/index.ts";
import type { MISSED, MODES, OVERLAP, SOURCES, State, Type } from "./schema.ts";

export type TriggerRow = {
  id: number;
  name: string;
  /** As whom its sessions act; null for one that was made before this was known. */
  principal_id: string | null;
  type: Type;
  description: string | null;
  channel: string;
  schedule: string | null;
  timezone: string;
  missed: (typeof MISSED)[number];
  missed_max: number;
  missed_window_seconds: number;
  overlap: (typeof OVERLAP)[number];
  session_mode: (typeof MODES)[number];
  /** A template. */
  session_key: string | null;
  prompt: string | null;
  query_secret: number;
  enabled: number;
  /** Up to which its slots were dealt with: none of them fires again, whatever the clock says. */
  last_slot: string | null;
  next_run: string | null;
  last_run: string | null;
  run_count: number;
  /** When it last refused what was posted to it, and why. */
  refused_at: string | null;
  refused_for: string | null;
  created_at: string;
  created_by: string;
  updated_at: string;
};

export type SecretRow = {
  trigger_id: number;
  id: number;
  sealed: string;
  created_at: string;
  /** Replaced, it counts until then. */
  retires_at: string | null;
};

export type Source = (typeof SOURCES)[number];

export type RunRow = {
  id: number;
  trigger_id: number;
  trigger_name: string;
  source: Source;
  sender: string;
  slot: string | null;
  delivery: string | null;
  session_key: string;
  state: State;
  /** Why it was skipped. */
  reason: string | null;
  fired_at: string;
  started_at: string | null;
  ended_at: string | null;
  outcome: string | null;
  cost_micros: number | null;
  task_id: number | null;
  run_id: number | null;
} & CauseColumns;

export type PayloadRow = {
  id: number;
  media: "json" | "text";
  payload: string;
};
