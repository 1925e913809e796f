import { testDatabases } from "./databases.ts";
import { SERVER_URL, startPostgres } from "./postgres.ts";
import { Loans } from "./postgres-loans.ts";

/** Once a run, before any worker: one PostgreSQL for all of them, or the run fails. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Vitest does this for each of its projects.
  if (!testDatabases().includes("postgres") || process.env[SERVER_URL]) return undefined;
  const server = await startPostgres();
  process.env[SERVER_URL] = server.url;
  await new Loans(server.url).prepare();
  return async () => server[Symbol.asyncDispose]();
}
