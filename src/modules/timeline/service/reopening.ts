import type { Row } from "../../../archive/index.ts";

/** Nobody runs an agent of a space that is only looked at, the hub itself least of all. */
export const reopenedRuntime = (row: Row, now: string): Row => ({
  ...row,
  ...{
    ended_at: row.ended_at ?? now,
    turn_id: null,
    abort_turn_id: null,
    abort_by: null,
    in_hub: null,
    token_id: null,
  },
});

/** One that had not ended when its space did. */
export const reopenedTurn = (row: Row, now: string): Row =>
  row.ended_at === null
    ? { ...row, status: "error", outcome: "interrupted", ended_at: now, error: "Its space ended." }
    : row;
