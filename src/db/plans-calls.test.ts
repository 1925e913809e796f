/** A long history of calls is what is asked of most often while hardly any of it is wanted. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { STATEMENTS, type Statement } from "./statement.ts";

const shortened = ({ sqlite }: Statement): string => sqlite.text.replace(/\s+/g, " ").trim();

const IN_CLASS = String.raw`and coalesce\(a\.progress, case .* end\) = (\?|'approved') and (a\.id [<>]|n\.id is not)`;
const ASKED_FOR = String.raw`where n\.space_id = \? and n\.state = 'open' and`;

/** By which index each begins: it holds nothing that is not wanted. */
const BEGINS: readonly [string, RegExp, readonly string[]][] = [
  ["in a state", new RegExp(`where a\\.space_id = \\? ${IN_CLASS}`), ["approvals_by_class"]],
  ["of an agent in a state", new RegExp(`and a\\.agent_id = .* ${IN_CLASS}`), ["approvals_of_agent_by_class"]],
  ["of an agent", /where a\.space_id = \? and a\.agent_id = \(select .*\) and a\.id < /, ["approvals_of_agent"]],
  ["unanswered", / and n\.state in \('expired', 'withdrawn', 'superseded'\) and a\./, ["notices_unanswered"]],
  ["pending", new RegExp(`^select a\\.id, .* ${ASKED_FOR} \\(n\\.expires_at is null.* order by`), ["notices_open"]],
  ["pending of an agent", / and n\.raised_by = \? and a\.agent_id = \?$/, ["notices_open_of", "notices_open"]],
  ["late", new RegExp(`^select a\\.id, .* ${ASKED_FOR} n\\.expires_at <= `), ["notices_open"]],
  ["in a log", / from run_events e .* e\.type = 'ToolCall' and e\.id < /, ["run_events_calls"]],
];

const asked = BEGINS.map(([what, known, indexes]) => ({
  ...{ what, indexes },
  statements: STATEMENTS.filter((statement) => known.test(shortened(statement))),
}));

const OF_CALLS = /^(approvals|notices|run_events)_/;
const BY_INDEX = /USING (?:COVERING )?INDEX (\S+)/;

test("there are statements of each kind", () => {
  expect(asked.filter(({ statements }) => statements.length === 0).map(({ what }) => what)).toEqual([]);
});

onDatabase("sqlite", (open) => {
  test("SQLite finds what is wanted of a long history of calls by an index of its own, in its order", async () => {
    const { home } = await open();
    using database = new DatabaseSync(join(home, "parley.db"), { readOnly: true });
    for (const { what, indexes, statements } of asked)
      for (const { sqlite } of statements) {
        const steps = database
          .prepare(`explain query plan ${sqlite.text}`)
          .all()
          .map(({ detail }) => String(detail));
        const [index] = steps.flatMap((step) => step.match(BY_INDEX)?.[1] ?? []).filter((name) => OF_CALLS.test(name));
        expect([what, sqlite.text, index]).toEqual([what, sqlite.text, expect.toBeOneOf([...indexes])]);
        expect([what, steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step))]).toEqual([what, []]);
      }
  });
});

/** Everything is over, and was of a few agents. */
const FILL = [
  `insert into approvals (space_id, id, agent_id, key, call_id, server, mount, tool, arguments, digest, covers, executes,
   editable, verdicts, about, policy_version, ruled, decision, progress, fence)
   select 'main', n, 'p' || n % 5, 'k' || n, 'k' || n, 's', '', 't', '{}', 'd', 'arguments', 'runtime', 1, '[]', '', 1,
   'ask', case when n % 20 <> 0 then 'approve' end, case when n % 20 <> 0 then 'completed' end, 1
   from generate_series(1, 50000) as n`,
  `insert into notices (space_id, id, raised_by, key, times, kind, title, text, state)
   select 'main', n, 'p' || n % 5, 'k' || n, 1, 'approval', '', '', case when n % 20 = 0 then 'withdrawn' else 'answered' end
   from generate_series(1, 50000) as n`,
  `insert into run_events (space_id, id, principal_id, type, key, body, bytes)
   select 'main', n, 'p' || n % 5, case when n % 20 = 0 then 'ToolCall' else 'ToolOutput' end, 'k' || n, '{}', 2
   from generate_series(1, 50000) as n`,
  "set default_statistics_target = 10000",
  "vacuum (analyze) approvals, notices, run_events",
];

const LONG = ["approvals", "notices", "run_events"];

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

onDatabase("postgres", (open) => {
  test("PostgreSQL finds what is wanted of a long history of calls by an index of its own", async () => {
    // With rows that others must not find: a database of its own.
    const { database_url } = await open({ migrations: [{ up: () => [] }] });
    const client = new pg.Client({ connectionString: database_url });
    await client.connect();
    try {
      await client.query("set plan_cache_mode = force_generic_plan");
      for (const text of FILL) await client.query(text);
      for (const { what, indexes, statements } of asked)
        for (const { postgres } of statements) {
          await client.query(`prepare asked as ${postgres.text}`);
          const bound = postgres.names.map(() => "null").join(", ");
          const { rows } = await client.query(`explain (format json) execute asked(${bound})`);
          await client.query("deallocate asked");
          const nodes = nodesOf(rows[0]["QUERY PLAN"][0].Plan);
          const used = nodes.flatMap((node) => node["Index Name"] ?? []).filter((name) => OF_CALLS.test(name));
          expect([what, postgres.text, used]).toEqual([
            what,
            postgres.text,
            expect.arrayContaining([expect.toBeOneOf([...indexes])]),
          ]);
          const whole = nodes.filter(
            ({ "Node Type": type, "Relation Name": of = "" }) => type === "Seq Scan" && LONG.includes(of),
          );
          expect([what, whole]).toEqual([what, []]);
        }
    } finally {
      await client.end();
    }
  });
});
