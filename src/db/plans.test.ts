import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { STATEMENTS } from "./statement.ts";

/** They ask for the first of a space, or for what there is little of and all of it. */
const ABOUT_A_SPACE = [
  /^select created_at from idempotency .* order by created_at limit 1$/,
  /^select id from events .* order by id limit 1$/,
  /^select id from waits .* limit 1$/,
  /^select min\(id\) as id from (messages|mails) /,
  / from agents a join /,
  / from agent_sessions s join /,
  /^select min\(until_at\) as until_at from need_laters /,
  /^select status, channel, tasks from task_totals /,
  /^select lane from task_lanes /,
  / from task_(budgets|throttles) where space_id = \? ?(order by |$)/,
  /^select (throttled_until as at|day) from task_(throttles|budgets) .* limit 1$/,
  /^select offers from task_workers /,
  // The first of an index that holds only what is of the one state, and how many there are.
  / from tasks where space_id = \? and held_for = '(delay|concurrency)' order by .* limit \?$/,
  / from tasks where space_id = \? and status in \('done', 'cancelled', 'dead'\) .* order by processed_at .* limit \?$/,
  /^select (lane, )?count\(\*\) as tasks from tasks .* held_for /,
  /^select status, sum\(tasks\) as tasks from task_totals /,
  / from task_requeues .* stopped_at is null .* limit 1$/,
  /^select processed_at from tasks .* order by processed_at limit 1$/,
  /^select (lease_until|run_at) as at from tasks .* limit 1$/,
  /^select id from (trigger_)?runs .* order by id limit 1$/,
  / from triggers where space_id = \? (and type = \? )?order by /,
  /^select count\(\*\) as triggers from triggers /,
  // One row a space, and one for each that fails again and again.
  / from run_pauses /,
  / from run_streaks s where space_id = \? order by began_id limit \?$/,
  /^select topic, count\(\*\) as subscribers/,
  /^select count\(\*\) as count from \(select n\.id from notices n .* n\.state = 'open'/,
  /^select n\.raised_by as principal_id, count\(\*\) as asks, .* from notices n .* n\.state = 'open'/,
];

onDatabase("sqlite", (open) => {
  // Without figures about what is stored, SQLite takes a space for ten rows and an index for hardly better.
  test("SQLite goes through a whole space only for what is about all of it", async () => {
    const { home } = await open();
    using database = new DatabaseSync(join(home, "parley.db"), { readOnly: true });
    const asked = STATEMENTS.map(({ sqlite }) => sqlite.text.replace(/\s+/g, " ").trim()).filter(
      // PostgreSQL alone has these.
      (text) => !/\bfor update\b|\bpg_|now\(\)/.test(text),
    );
    const through = asked.filter((text) =>
      database
        .prepare(`explain query plan ${text}`)
        .all()
        .some(({ detail }) => /\(space_id=\?\)$/.test(String(detail))),
    );
    expect(through.filter((text) => !ABOUT_A_SPACE.some((known) => known.test(text)))).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
  });

  test("SQLite looks for words first, and then for what has them", async () => {
    const { home } = await open();
    using database = new DatabaseSync(join(home, "parley.db"), { readOnly: true });
    const searches = STATEMENTS.map(({ sqlite }) => sqlite.text).filter((text) => / match :?/.test(text));
    expect(searches.length).toBeGreaterThan(0);
    for (const text of searches) {
      const [first] = database.prepare(`explain query plan ${text}`).all();
      expect([text, first?.detail]).toEqual([text, expect.stringMatching(/^SCAN \S+ VIRTUAL TABLE INDEX/)]);
    }
  });
});
