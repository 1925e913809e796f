import type { Timing } from "../http/outlet.ts";

export interface Limits extends Timing {
  /** URIs one listen stream or one session may follow. */
  uris: number;
  /** Listen streams one principal may hold open. */
  streams: number;
  /** Sessions of the older era, one principal's and everybody's. */
  sessions: number;
  sessions_in_all: number;
  /** A session without a request and without an open stream is forgotten after this. */
  idle_ms: number;
  /** How long a hint that may be merged waits for others. */
  merge_ms: number;
}

export const LIMITS: Limits = {
  uris: 100,
  streams: 1024,
  sessions: 1024,
  sessions_in_all: 20_000,
  idle_ms: 30 * 60_000,
  merge_ms: 1000,
  keep_alive_ms: 15_000,
  stalled_ms: 30_000,
};

/** Messages of one JSON-RPC batch, as the SDK has it. */
export const MAX_BATCH = 100;

/** A hint takes its payload along only while it is small: the payload is never the truth. */
export const MAX_HINT_BYTES = 64 * 1024;
