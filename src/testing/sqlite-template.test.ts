import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrateSqlite } from "../db/migrate-sqlite.ts";
import { onDatabase } from "./hub.ts";
import { copyTemplate } from "./sqlite-template.ts";

onDatabase("sqlite", () => {
  test("a copied database is what a hub would have made, with an epoch of its own", async () => {
    const homes = Array.from({ length: 3 }, () => mkdtempSync(join(tmpdir(), "parley-test-")));
    const [made = "", ...copies] = homes;
    await migrateSqlite(join(made, "parley.db"));
    for (const home of copies) copyTemplate(home);
    const found = homes.map(contentOf);
    for (const home of homes) rmSync(home, { recursive: true });

    for (const each of found) {
      expect(each).toEqual({ ...found[0], epoch: expect.stringMatching(/^[0-9a-f]{16}$/) });
    }
    expect(new Set(found.map(({ epoch }) => epoch)).size).toBe(3);
  });
});

function contentOf(home: string) {
  const database = new DatabaseSync(join(home, "parley.db"));
  const all = (text: string) => database.prepare(text).all();
  const schema = all("select type, name, sql from sqlite_schema order by type, name");
  const pragmas = [all("pragma journal_mode"), all("pragma user_version"), all("pragma auto_vacuum")];
  const tables = schema.filter(({ type, sql }) => type === "table" && !String(sql).startsWith("CREATE VIRTUAL"));
  const rows = tables.map(({ name }) => [name, all(`select * from "${name}"`).map(withoutMoment)]);
  const epoch = database.prepare("select value from hub where name = 'epoch'").get()?.value;
  database.close();
  return { schema, pragmas, rows, epoch };
}

/** What each gets when it is made. */
const withoutMoment = ({ created_at, value, ...row }: Record<string, unknown>) => row;
