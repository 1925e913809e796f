/**
 * Databases that are used again. Making and dropping one, and the schema in it, takes a third of a second of work; the
 * rows that a test leaves are gone in a few milliseconds.
 */
import { migratePostgres } from "../db/migrate-postgres.ts";
import { createDatabase, query, serverUrl, type TestDatabase, within } from "./postgres.ts";

/** On the server of the run, for all its workers. */
export const prepareLoans = (server_url: string): Promise<unknown> =>
  query(server_url, "create table free_databases (name text primary key)");

/** With the schema of today and no row. Whoever drops it gives it back. */
export async function borrowDatabase(): Promise<TestDatabase> {
  const server_url = serverUrl();
  const [free] = await query(
    server_url,
    `delete from free_databases
     where name = (select name from free_databases limit 1 for update skip locked) returning name`,
  );
  const url = free ? within(server_url, String(free.name)) : await migrated(server_url);
  return { url, drop: () => giveBack(server_url, url) };
}

async function migrated(server_url: string): Promise<string> {
  const { url } = await createDatabase(server_url);
  await migratePostgres(url);
  await query(url, REMEMBER);
  return url;
}

async function giveBack(server_url: string, url: string): Promise<void> {
  await query(url, EMPTY);
  await query(server_url, `insert into free_databases values ('${new URL(url).pathname.slice(1)}')`);
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
