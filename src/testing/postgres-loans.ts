/**
 * Databases that are used again. Making and dropping one, and the schema in it, takes a third of a second of work; the
 * rows that a test leaves are gone in a few milliseconds.
 */
import pg from "pg";
import { migratePostgres } from "../db/migrate-postgres.ts";
import { createDatabase, query, serverUrl, type TestDatabase, within } from "./postgres.ts";

/** The databases of one server that nobody has just now, listed in a table of the database at `url`. */
export class Loans {
  readonly #url: string;
  readonly #cleaners = new Map<string, pg.Client>();
  #lender: Promise<pg.Client> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  prepare(): Promise<unknown> {
    return query(this.#url, "create table free_databases (name text primary key)");
  }

  /** With the schema of today and no row, one that was here before if it is free. Whoever drops it gives it back. */
  async borrow(): Promise<TestDatabase> {
    const known = [...this.#cleaners.keys()].map((name) => `'${name}'`).join();
    const [free] = await this.#ask(
      `delete from free_databases where name = (select name from free_databases
       order by name = any(array[${known}]::text[]) desc limit 1 for update skip locked) returning name`,
    );
    const url = free ? within(this.#url, String(free.name)) : await migrated(this.#url);
    return { url, drop: () => this.#giveBack(url) };
  }

  async #giveBack(url: string): Promise<void> {
    const name = new URL(url).pathname.slice(1);
    const cleaner = this.#cleaners.get(name) ?? (await this.#hire(name, url));
    await cleaner.query(EMPTY);
    await this.#ask(`insert into free_databases values ('${name}')`);
  }

  /** It stays: one that knows the tables empties them in a fifth of the time. Another worker's puts an end to it. */
  async #hire(name: string, url: string): Promise<pg.Client> {
    const cleaner = await connected(url);
    cleaner.on("error", () => this.#cleaners.delete(name));
    this.#cleaners.set(name, cleaner);
    return cleaner;
  }

  /** On one connection for all the tests of a file: to make one takes longer than what is asked. */
  async #ask(text: string): Promise<Record<string, unknown>[]> {
    this.#lender ??= connected(this.#url);
    return (await (await this.#lender).query(text)).rows;
  }
}

let own: Loans | undefined;

/** Of the server of the run, which all its workers share. */
export function borrowDatabase(): Promise<TestDatabase> {
  own ??= new Loans(serverUrl());
  return own.borrow();
}

async function migrated(server_url: string): Promise<string> {
  const { url } = await createDatabase(server_url);
  await migratePostgres(url);
  await query(url, REMEMBER);
  return url;
}

async function connected(url: string): Promise<pg.Client> {
  // The published types do not know `unref`.
  const client = new pg.Client({ connectionString: url }) as pg.Client & { unref(): void };
  await client.connect();
  // The worker ends when its tests have.
  client.unref();
  return client;
}

const TABLES = `select relname as name, pg_relation_size(oid) as size from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;

/** What the migrations themselves put into it. */
const REMEMBER = `
create schema made;
do $$
declare each record;
begin
  for each in ${TABLES} loop
    if each.size > 0 then execute format('create table made.%1$I as table public.%1$I', each.name); end if;
  end loop;
end $$`;

const OTHERS = `pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/**
 * As it was when it was made: no connection but this one, no row of a test, each number from its start. Those of
 * a hub that has just stopped end by themselves, and to see that one is terminated takes a tenth of a second.
 */
const EMPTY = `
set session_replication_role = replica;
do $$
declare each record;
begin
  for turn in 1 .. 20 loop
    exit when not exists (select 1 from ${OTHERS});
    perform pg_sleep(0.002), pg_stat_clear_snapshot();
  end loop;
  perform pg_terminate_backend(pid, 5000) from ${OTHERS};
  for each in ${TABLES} loop
    if each.size > 1000000 then execute format('truncate public.%I', each.name);
    elsif each.size > 0 then execute format('delete from public.%I', each.name);
    end if;
    if to_regclass(format('made.%I', each.name)) is not null then
      execute format('insert into public.%1$I table made.%1$I', each.name);
    end if;
  end loop;
  perform setval(format('public.%I', sequencename)::regclass, start_value, false) from pg_sequences
    where schemaname = 'public' and last_value is not null;
end $$`;
