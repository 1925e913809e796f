import { statement } from "./statement.ts";

/** The hub's own space: what belongs to no team's. */
export const HUB_SPACE = "hub";

export interface CounterRow {
  last_id: number;
  expires_at: string | null;
}

/** The counter row that every writing transaction takes first; see DESIGN 2. */
export const counterOf = statement<{ space_id: string }, CounterRow>(
  "select last_id, expires_at from spaces where id = :space_id",
);

export const lockedCounterOf = statement<{ space_id: string }, CounterRow>(
  "select last_id, expires_at from spaces where id = :space_id for update",
);

export const saveCounter = statement<{ space_id: string; last_id: number }>(
  "update spaces set last_id = :last_id where id = :space_id",
);

export const highestCounter = statement<Record<string, never>, { last_id: number | null }>(
  "select max(last_id) as last_id from spaces",
);

export const epochOfHub = statement<Record<string, never>, { value: string }>(
  "select value from hub where name = 'epoch'",
);
