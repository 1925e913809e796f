/** Which database a hub has: the one that its folder remembers, unless somebody says that it is to be another. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StartRefused } from "./errors.ts";
import { type FolderSettings, type PostgresSetting, withoutPassword } from "./local/settings.ts";

export interface Wish {
  home: string;
  /** By flag or environment. */
  database_url: string | undefined;
  database_url_file: string | undefined;
  /** Whether the folder may get another one than it has. */
  switching: boolean;
  before: FolderSettings | undefined;
}

export interface Choice {
  database_url: string | undefined;
  database_url_file: string | undefined;
}

export function chooseDatabase(wish: Wish): Choice {
  const { home, database_url_file, switching } = wish;
  if (wish.database_url !== undefined && !isDatabase(wish.database_url))
    throw new StartRefused(`The database's URL is none of PostgreSQL, such as ${EXAMPLE}.`);
  const given = wish.database_url ?? (database_url_file === undefined ? undefined : urlIn(database_url_file));
  const before = switching ? undefined : (wish.before?.database ?? leftIn(home));
  if (given !== undefined) {
    if (before !== undefined && !isSame(before, given)) throw another(home, before, given);
    return { database_url: given, database_url_file: wish.database_url ? undefined : database_url_file };
  }
  if (before === undefined || before === "sqlite") return { database_url: undefined, database_url_file: undefined };
  return again(home, before);
}

/** A hub from before folders remembered anything left its SQLite database. */
const leftIn = (home: string): "sqlite" | undefined => (existsSync(join(home, "parley.db")) ? "sqlite" : undefined);

const isSame = (before: "sqlite" | PostgresSetting, url: string): boolean =>
  before !== "sqlite" && before.postgres === withoutPassword(url).url;

function again(home: string, { postgres, password, url_file }: PostgresSetting): Choice {
  if (url_file) {
    const database_url = urlIn(url_file);
    const now = withoutPassword(database_url).url;
    if (now !== postgres) throw another(home, { postgres, password }, database_url);
    return { database_url, database_url_file: url_file };
  }
  if (!password) return { database_url: postgres, database_url_file: undefined };
  throw new StartRefused(
    `The data folder ${home} belongs to a node of ${postgres}, whose password is not kept here. Set PARLEY_DATABASE_URL, or start it with serve --database-url-file FILE.`,
  );
}

function urlIn(file: string): string {
  let url: string;
  try {
    url = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new StartRefused(`The file of the database's URL cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  // What is in it may be anything, and a secret: it is not shown.
  if (!isDatabase(url)) throw new StartRefused(`${file} has no URL of a database in it, such as ${EXAMPLE}.`);
  return url;
}

const EXAMPLE = "postgres://parley@db.internal/parley";

const isDatabase = (url: string): boolean => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url);

function another(home: string, before: "sqlite" | PostgresSetting, url: string): StartRefused {
  const has = before === "sqlite" ? "a SQLite database" : before.postgres;
  return new StartRefused(
    `The data folder ${home} has ${has}, and ${withoutPassword(url).url} is another. Take another folder with --home, or say --switch-database: nothing is copied from one to the other.`,
  );
}
