import pg from "pg";
import { POSTGRES_COLUMNS } from "./columns.ts";
import { type MigrationRunner, migrate } from "./migrate.ts";
import type { Migration } from "./migrations/index.ts";

/** Any number that no other program would take. */
const LOCK = 7_027_539;

export async function migratePostgres(url: string, history?: readonly Migration[]): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "parley migration",
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    // Nodes that start together migrate one after another; the lock goes with the connection.
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    await client.query("create table if not exists schema (version integer not null)");
    await migrate(runner(client), history);
    await analyze(client);
  } finally {
    await client.end();
  }
}

/**
 * Without figures about its tables the planner reads a whole space for some of what is asked. A table has none after it was
 * restored from a dump, until PostgreSQL gets round to it. One that is empty is left alone: analysed, it is known to be empty,
 * and what is prepared then reads all of it for as long as it fills; not analysed, it is planned for as a small one.
 */
async function analyze(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) > 0`,
  );
  if (rows.length > 0) await client.query(`analyze ${rows.map(({ name }) => name).join(", ")}`);
}

function runner(client: pg.Client): MigrationRunner {
  return {
    columns: POSTGRES_COLUMNS,
    version: async () => {
      const { rows } = await client.query<{ version: number }>("select version from schema");
      return rows[0]?.version ?? 0;
    },
    step: async (version, statements, before_commit) => {
      await client.query("begin");
      for (const text of statements) await client.query(text);
      await client.query("delete from schema");
      await client.query("insert into schema (version) values ($1)", [version]);
      await before_commit();
      await client.query("commit");
    },
    // A backup of PostgreSQL is its operator's business: a node cannot know where it should go.
    backup: async () => {},
  };
}
