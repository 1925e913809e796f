/** Everything a stopped hub left behind, as bytes: for what must not be in it. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** The files of a data folder by name. */
export function filesOf(home: string): Map<string, Buffer> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ name, parentPath }) => [name, readFileSync(join(parentPath, name))]));
}

/** Every row of every table of a PostgreSQL database, one a line. */
export async function rowsOf(database_url: string): Promise<string> {
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`);
      lines.push(...rows.map(({ line }) => `${name} ${line}`));
    }
    return lines.join("\n");
  } finally {
    await client.end();
  }
}
