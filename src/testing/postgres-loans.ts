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
  #lender: Promise<pg.Client> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  prepare(): Promise<unknown> {
    return query(this.#url, "create table free_databases (name text primary key)");
  }

  /** With the schema of today and no row. Whoever drops it gives it back. */
  async borrow(): Promise<TestDatabase> {
    const [free] = await this.#ask(
      `delete from free_databases
       where name = (select name from free_databases limit 1 for update skip locked) returning name`,
    );
    const url = free ? within(this.#url, String(free.name)) : await migrated(this.#url);
    return { url, drop: () => this.#giveBack(url) };
  }

  async #giveBack(url: string): Promise<void> {
    await query(url, EMPTY);
    await this.#ask(`insert into free_databases values ('${new URL(url).pathname.slice(1)}')`);
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

/** As it was when it was made: no connection but this one, no row of a test, each number from its start. */
const EMPTY = `
set session_replication_role = replica;
do $$
declare each record;
begin
  perform pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid();
  for each in ${TABLES} loop
    if each.size > 1000000 then execute format('truncate public.%I', each.name);
    elsif each.size > 0 then execute format('delete from public.%I', each.name);
    end if;
    if to_regclass(format('made.%I', each.name)) is not null then
      execute format('insert into public.%1$I table made.%1$I', each.name);
    end if;
  end loop;
  for each in select sequencename as name from pg_sequences
    where schemaname = 'public' and last_value is not null
  loop
    execute format('alter sequence public.%I restart', each.name);
  end loop;
end $$`;
