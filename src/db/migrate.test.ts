/** A migration is done wholly or not at all, once, whatever interrupts it. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StartRefused } from "../errors.ts";
import { arm, disarm } from "../failpoints.ts";
import { type DatabaseName, testDatabases } from "../testing/databases.ts";
import { createDatabase, query } from "../testing/postgres.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";
import { MIGRATIONS, type Migration } from "./migrations/index.ts";

const NEXT: readonly Migration[] = [
  { up: ({ key }) => [`create table scraps (id ${key} primary key)`, "insert into scraps (id) values ('first')"] },
  { up: ({ text }) => [`alter table scraps add column body ${text}`, "update scraps set body = id"] },
];
const LONGER = [...MIGRATIONS, ...NEXT];
const BROKEN: Migration = { up: () => ["create table half (id integer)", "create table half (id integer)"] };

interface Ground extends AsyncDisposable {
  migrate(history?: readonly Migration[]): Promise<void>;
  query(text: string): Promise<Record<string, unknown>[]>;
  /** Everything that a migration makes. */
  schema(): Promise<unknown>;
  version(): Promise<number>;
  setVersion(version: number): Promise<unknown>;
  folder?: string;
}

function onSqlite(): Ground {
  const folder = mkdtempSync(join(tmpdir(), "parley-migrate-"));
  const file = join(folder, "parley.db");
  const query = async (text: string) => {
    using connection = new DatabaseSync(file);
    return connection.prepare(text).all();
  };
  return {
    folder,
    migrate: (history) => migrateSqlite(file, history),
    query,
    schema: () => query("select type, name, sql from sqlite_master order by type, name"),
    version: async () => Number((await query("pragma user_version"))[0]?.user_version),
    setVersion: (version) => query(`pragma user_version = ${version}`),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
}

async function onPostgres(): Promise<Ground> {
  const { url, drop } = await createDatabase();
  const ask = (text: string) => query(url, text);
  return {
    migrate: (history) => migratePostgres(url, history),
    query: ask,
    schema: async () => [
      await ask(`select table_name, column_name, data_type, is_nullable, collation_name
                   from information_schema.columns where table_schema = 'public' order by 1, 2`),
      await ask("select indexdef from pg_indexes where schemaname = 'public' order by 1"),
    ],
    version: async () => Number((await ask("select version from schema"))[0]?.version ?? 0),
    setVersion: (version) => ask(`update schema set version = ${version}`),
    [Symbol.asyncDispose]: drop,
  };
}

const GROUNDS: Record<DatabaseName, () => Ground | Promise<Ground>> = { sqlite: onSqlite, postgres: onPostgres };

describe.each(testDatabases())("%s", (name) => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await GROUNDS[name]();
  });
  afterEach(async () => {
    disarm();
    await ground[Symbol.asyncDispose]();
  });
  const epoch = () => ground.query("select value from hub where name = 'epoch'");

  test("done twice it changes nothing the second time", async () => {
    await ground.migrate();
    const before = [await ground.schema(), await epoch(), await ground.query("select id from spaces order by id")];
    await ground.migrate();

    expect([await ground.schema(), await epoch(), await ground.query("select id from spaces order by id")]).toEqual(
      before,
    );
    expect(await ground.version()).toBe(MIGRATIONS.length);
  });

  test("broken off in any step it leaves what was before that step, and the next start completes it", async () => {
    await using whole = await GROUNDS[name]();
    for (let step = 1; step <= LONGER.length; step++) {
      await whole.migrate(LONGER.slice(0, step - 1));
      // The step that was broken off last time comes first, and gets through now.
      arm(`migrate.after_step:throw:${step === 1 ? 1 : 2}`);
      await expect(ground.migrate(LONGER)).rejects.toThrow("failpoint");
      disarm();
      expect(await ground.version()).toBe(step - 1);
      expect(await ground.schema()).toEqual(await whole.schema());
    }
    await ground.migrate(LONGER);
    await whole.migrate(LONGER);

    expect(await ground.version()).toBe(LONGER.length);
    expect(await ground.schema()).toEqual(await whole.schema());
    expect(await ground.query("select id, body from scraps")).toEqual([{ id: "first", body: "first" }]);
  });

  test("a step that fails in the middle leaves nothing of itself", async () => {
    await ground.migrate();
    const before = await ground.schema();
    await expect(ground.migrate([...MIGRATIONS, BROKEN])).rejects.toThrow(/half/);

    expect(await ground.schema()).toEqual(before);
    expect(await ground.version()).toBe(MIGRATIONS.length);
  });

  test("what is newer than the program is left alone", async () => {
    await ground.migrate(LONGER);
    const before = await ground.schema();

    await expect(ground.migrate()).rejects.toThrow(StartRefused);
    expect(await ground.schema()).toEqual(before);
    expect(await ground.version()).toBe(LONGER.length);
    await ground.setVersion(99_999);
    await expect(ground.migrate(LONGER)).rejects.toThrow(/99999.*newer/);
  });

  test("data of before is there afterwards, and on SQLite a backup of it was made first", async () => {
    await ground.migrate();
    const before = await epoch();
    const schema = await ground.schema();
    await ground.migrate(LONGER);

    expect(await epoch()).toEqual(before);
    if (ground.folder === undefined) return;
    const copy = join(ground.folder, "backups", `before-migration-from-${MIGRATIONS.length}.db`);
    using backup = new DatabaseSync(copy, { readOnly: true });
    expect(backup.prepare("select value from hub where name = 'epoch'").all()).toEqual(before);
    expect(backup.prepare("select type, name, sql from sqlite_master order by type, name").all()).toEqual(schema);
    expect(backup.prepare("pragma user_version").get()).toEqual({ user_version: MIGRATIONS.length });
    const bytes = readFileSync(copy);
    await ground.migrate(LONGER);
    expect(readFileSync(copy).equals(bytes)).toBe(true);
  });

  if (name === "sqlite")
    test("an empty database needs no backup", async () => {
      await ground.migrate(LONGER);
      expect(existsSync(join(String(ground.folder), "backups"))).toBe(false);
    });

  if (name === "postgres")
    test("what has rows has figures for the planner, and what is empty is planned for as small, however it fills", async () => {
      const unknown = () =>
        ground.query(
          "select relname from pg_class where relkind = 'r' and reltuples < 0 and pg_relation_size(oid) > 0",
        );
      await ground.migrate();
      expect(await unknown()).toEqual([]);
      // Known to be empty, it would be read whole, also by what was prepared and goes on as it fills.
      const find =
        "select digest from idempotency where space_id = 's' and principal_id = 'p' and tool = 't' and key = 'k'";
      const [plan] = await ground.query(`explain (format json) ${find}`);
      expect(JSON.stringify(plan)).toContain("idempotency_pkey");
      // As a dump leaves it: the rows without the figures.
      await ground.query("create table moved (like spaces including all)");
      await ground.query("insert into moved select * from spaces");
      await ground.query("alter table spaces rename to before_restore");
      await ground.query("alter table moved rename to spaces");
      expect(await unknown()).toEqual([{ relname: "spaces" }]);
      await ground.migrate();
      expect(await unknown()).toEqual([]);
    });

  if (name === "postgres")
    test("of nodes that start together on an empty database one migrates and the others wait for it", async () => {
      await Promise.all(Array.from({ length: 4 }, () => ground.migrate(LONGER)));

      expect(await ground.version()).toBe(LONGER.length);
      expect(await ground.query("select count(*)::int as rows from schema")).toEqual([{ rows: 1 }]);
      expect(await ground.query("select id from scraps")).toHaveLength(1);
    });
});
