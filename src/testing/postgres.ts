/**
 * PostgreSQL for tests. A run shares the server that `postgres-setup.ts` starts, each test in a database of its own;
 * a test that has to stop or kill its server starts a private one.
 */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { TestPostgres } from "./postgres-server.ts";

/** Stopped and removed when disposed of, at the latest when this process ends. */
export interface PostgresServer extends AsyncDisposable {
  /** With the name and password of a superuser. */
  readonly url: string;
  readonly pid: number;
  /** Orderly: what is running is rolled back. */
  stop(): Promise<void>;
  /** As a power cut would: no process of it gets to do anything more. */
  kill(): Promise<void>;
  /** Starts it on the same port with the same data, after stopping it if it runs. */
  restart(): Promise<void>;
}

export interface TestDatabase {
  url: string;
  /** Ends what connections it still has. */
  drop(): Promise<void>;
}

/** Where workers find the server of the run. */
export const SERVER_URL = "PARLEY_TEST_POSTGRES_URL";

export async function startPostgres(): Promise<PostgresServer> {
  try {
    return await TestPostgres.start();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `The tests need PostgreSQL and could not start it: ${reason}. Install PostgreSQL 15 or later (on Debian: apt install postgresql), or run npm ci, which brings one along for most platforms.`,
      { cause },
    );
  }
}

/** The server of this run. */
export function serverUrl(): string {
  const url = process.env[SERVER_URL];
  if (!url) throw new Error("This run has no PostgreSQL: name postgres in PARLEY_TEST_DATABASES.");
  return url;
}

/** An empty database, on the server of this run unless another one is named. */
export async function createDatabase(server_url = serverUrl()): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  await query(server_url, `create database ${name}`);
  return {
    url: within(server_url, name),
    drop: async () => void (await query(server_url, `drop database ${name} with (force)`)),
  };
}

/** The address of a database of that server. */
export function within(server_url: string, name: string): string {
  const url = new URL(server_url);
  url.pathname = name;
  return url.href;
}

/** One question on a connection of its own. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
