import { createDatabase, SERVER_URL } from "../../src/testing/postgres.ts";
import { TestPostgres } from "../../src/testing/postgres-server.ts";

/** A server of the scenario's own, with an empty database, as durable as the hub promises; of a run of the tests a database of theirs. */
export async function benchPostgres(): Promise<{ url: string } & AsyncDisposable> {
  if (!process.env[SERVER_URL]) return TestPostgres.start({ durable: true });
  const { url, drop } = await createDatabase();
  return { url, [Symbol.asyncDispose]: drop };
}
