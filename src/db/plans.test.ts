import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { STATEMENTS, type Statement } from "./statement.ts";

/** They ask for the first of a space, or for what there is little of and all of it. */
const ABOUT_A_SPACE = [
  /^select created_at from idempotency .* order by created_at limit 1$/,
  /^select id from events .* order by id limit 1$/,
  /^select id from waits .* limit 1$/,
  /^select min\(id\) as id from (messages|mails) /,
  / from agents a join /,
  // Its archive holds everybody, and its people are let in when that is opened.
  /^insert into grants .* from grants g join principals p /,
  /^select p\.id, p\.name from \(select principal_id from grants /,
  // It is forgotten, with all that was granted in it.
  /^delete from grants where space_id in \(select id from spaces where emptied_at <= \?\)$/,
  // The first of its mails that go, and what few are open or wait: partial indexes hold no others.
  /^select last_at from mail_trails .* order by last_at limit 1$/,
  / from checkpoints where space_id = \? and state = 'waiting'$/,
  / from checkpoint_questions h join checkpoints c /,
  /^select phase from workflow_phases where space_id = \?$/,
  / from notices n cross join questions q .*where n\.space_id = \? and n\.state = 'open' /,
  / from notices n (cross join (approvals a|policy_proposals o) )?where n\.space_id = \? and n\.state = 'open' /,
  / from notices n cross join (approvals a|policy_proposals o) join principals p .* where n\.space_id = \? and n\.state = 'open' /,
  /^select version, id from policies .* order by version desc limit 1$/,
  / from agent_sessions s join /,
  /^select min\(until_at\) as until_at from need_laters /,
  /^select status, channel, tasks from task_totals /,
  // From each lane to the next, of what can be claimed.
  /^select l\.lane from \( with recursive found/,
  /^delete from task_workers where space_id = \? and seen_at < \?$/,
  / from task_(budgets|throttles) where space_id = \? ?(order by |$)/,
  /^select (throttled_until as at|day) from task_(throttles|budgets) .* limit 1$/,
  /^select w\.offers from task_workers w /,
  // A draft has few sections, a plan few tasks.
  / from draft_sections where space_id = \? order by order_key$/,
  /^select count\(\*\) as tasks from plan_tasks /,
  /^select tag, notes from note_tags .* limit \? \+ 0$/,
  /^select id, bytes from notes .* order by id desc limit \? \+ 0$/,
  // The first of an index that holds only what is of the one state, and how many there are.
  / from tasks where space_id = \? and held_for = '(delay|concurrency)' order by .* limit \? \+ 0$/,
  / from tasks where space_id = \? and status in \('done', 'cancelled', 'dead'\) .* order by processed_at .* limit \? \+ 0$/,
  /^select 1 as found from tasks .* held_for is null limit 1$/,
  /^select (lane, )?count\(\*\) as tasks from tasks .* held_for /,
  /^select status, sum\(tasks\) as tasks from task_totals /,
  / from task_requeues .* stopped_at is null .* limit 1$/,
  /^select processed_at from tasks .* order by processed_at limit 1$/,
  /^select (lease_until|run_at) as at from tasks .* limit 1$/,
  /^select id from ((trigger_)?runs|questions) .* order by id limit 1$/,
  / from subscriptions s join principals /,
  / from triggers where space_id = \? (and type = \? )?order by /,
  /^select count\(\*\) as triggers from triggers /,
  // One row a space, and one for each that fails again and again.
  / from run_pauses /,
  / from run_streaks s where space_id = \? order by began_id limit \? \+ 0$/,
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

  test("SQLite plans no statement anew for the number of rows it is asked for", () => {
    expect(STATEMENTS.filter(({ sqlite }) => /\blimit \?(?! \+ 0)/.test(sqlite.text))).toEqual([]);
  });

  test("the agents of a space are listed from an index that holds none that was deleted", async () => {
    const { home } = await open();
    using database = new DatabaseSync(join(home, "parley.db"), { readOnly: true });
    const lists = STATEMENTS.map(({ sqlite }) => sqlite.text).filter((text) =>
      /from agents a join [^;]*a\.deleted_at is null[^;]*order by a\.created_at/.test(text),
    );
    expect(lists.length).toBeGreaterThan(1);
    for (const text of lists) {
      const details = database
        .prepare(`explain query plan ${text}`)
        .all()
        .map(({ detail }) => String(detail));
      expect([text, details.filter((detail) => / a USING /.test(detail))]).toEqual([
        text,
        [expect.stringContaining("agents_here")],
      ]);
    }
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

/** Of tables of the whole hub that stay short. */
const OF_THE_HUB = [
  / (from|update|join) (login_codes|nodes)\b/,
  /^update login_codes /,
  / from spaces$/,
  / from tokens where /,
];

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A tenth of what is stored below. */
const FEW = 5000;

/** A queue and a feed as they are after a while: PostgreSQL decides by what is stored. */
const FILL = [
  `insert into tasks (space_id, id, channel, sender_id, content, status, created_at, priority, order_key, account, lane,
   max_attempts, attempt, refunded, awaited, processed_at, worker_id, lease_until, held_for, run_at)
   select 'main', n, 'internal', 'p' || n % 50, 'text', s, '2027', 0, n, 'default', 'default', 3, 1, 0, 0,
   case when s = 'done' then '2027' || n end, case when s <> 'pending' then 'w' || n % 100 end,
   case when s = 'processing' then '2027' || n end, case when s = 'pending' and n % 40 = 0 then 'delay' end, '2027' || n
   from (select n, case when n % 20 = 0 then 'pending' when n % 500 = 1 then 'processing' else 'done' end as s
   from generate_series(1, 50000) as n) as made`,
  `insert into events (space_id, id, type, topic, stream, ref, actor_id, data)
   select 'main', n, 'task.created', 'tasks', 'ready', n, 'p', '{}' from generate_series(1, 50000) as n`,
  // Whole, so that the figures are the same each time; and as autovacuum would leave it, whenever it comes by.
  "set default_statistics_target = 10000",
  "vacuum (analyze) tasks, events",
];

onDatabase("postgres", (open) => {
  const explained = async (client: pg.Client, { postgres }: Statement): Promise<Plan[]> => {
    const bound = postgres.names.length > 0 ? `(${postgres.names.map(() => "null").join(", ")})` : "";
    await client.query(`prepare asked as ${postgres.text}`);
    const { rows } = await client.query(`explain (format json) execute asked${bound}`);
    await client.query("deallocate asked");
    return nodesOf(rows[0]["QUERY PLAN"][0].Plan);
  };
  const shortened = ({ sqlite }: Statement): string => sqlite.text.replace(/\s+/g, " ").trim();

  test("PostgreSQL has an index for all that is asked, and reads no space whole for what is asked of a queue or a feed", async () => {
    // With rows that others must not find: a database of its own.
    const { database_url } = await open({ migrations: [{ up: () => [] }] });
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    try {
      await client.query("set plan_cache_mode = force_generic_plan");
      // Of what is empty it would read all, index or not.
      await client.query("set enable_seqscan = off");
      const without: string[] = [];
      for (const one of STATEMENTS)
        if ((await explained(client, one)).some((node) => node["Node Type"] === "Seq Scan"))
          without.push(shortened(one));
      expect(without.filter((text) => !OF_THE_HUB.some((known) => known.test(text)))).toEqual([]);

      for (const text of FILL) await client.query(text);
      await client.query("set enable_seqscan = on");
      const { rows } = await client.query(
        `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
         where i.indpred is not null and c.reltuples < ${FEW}`,
      );
      const short = new Set(rows.map(({ name }) => String(name)));
      const through: string[] = [];
      for (const one of STATEMENTS.filter(({ postgres }) => /\b(from|update) (tasks|events)\b/.test(postgres.text)))
        if ((await explained(client, one)).some((node) => readsAll(node, short))) through.push(shortened(one));
      expect(through.filter((text) => !ABOUT_A_SPACE.some((known) => known.test(text)))).toEqual([]);
    } finally {
      await client.end();
    }
  });
});

/** All of the table, or of a space in it: the few that a partial index holds of a space are not all of it. */
const readsAll = (node: Plan, short: ReadonlySet<string>): boolean =>
  ["tasks", "events"].includes(node["Relation Name"] ?? "") &&
  !short.has(node["Index Name"] ?? "") &&
  (node["Node Type"] === "Seq Scan" || /^\(space_id = \$\d+\)$/.test(node["Index Cond"] ?? ""));
