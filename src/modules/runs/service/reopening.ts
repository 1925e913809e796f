import type { Row } from "../../../archive/index.ts";

const LIVE: readonly unknown[] = ["queued", "claimed", "running"];

/** What had not ended when its space did: nobody is to begin it, or to wait for its node, in one that is only looked at. */
export const reopenedRun = (row: Row, now: string): Row =>
  LIVE.includes(row.state)
    ? { ...row, state: "stopped", ended_at: now, waits_for: null, error: "Its space ended." }
    : row;
