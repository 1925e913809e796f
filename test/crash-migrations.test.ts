/** Hubs that are killed in the middle of a migration, that start together, or that meet a newer database. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../src/db/migrations/index.ts";
import { callTool } from "../src/testing/crowd.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

eachDatabaseOfHubs((database) => {
  const serve = ({ ground, database }: Restarts, failpoint = "") =>
    ground.parley(["serve", "--json"], { env: { ...database, PARLEY_FAILPOINT: failpoint } });

  test("killed in each step of a migration, the next hub completes it; of a newer one it keeps its hands", async () => {
    await using restarts = await Restarts.on(database);
    // The first time in the first step; later ones finish the step that was broken off and die in the next.
    for (const [step] of MIGRATIONS.entries())
      expect(await serve(restarts, `migrate.after_step:kill:${step === 0 ? 1 : 2}`)).toMatchObject({
        signal: "SIGKILL",
      });

    await restarts.start();
    expect(await callTool(restarts.admin, "chat_human_post", { content: "hello" })).toMatchObject({ status: 200 });
    await restarts.hub.kill("SIGTERM");

    await setVersion(restarts, 99_999);
    const { code, stderr } = await serve(restarts);
    expect(code).toBe(78);
    expect(JSON.parse(stderr).error.message).toMatch(/newer/);
    await setVersion(restarts, MIGRATIONS.length);
    await restarts.start();
    expect(await callTool(restarts.admin, "chat_read_since", {})).toMatchObject({
      body: { messages: [{ content: "hello" }] },
    });
  });
});

async function setVersion({ database_url, ground }: Restarts, version: number): Promise<void> {
  if (!database_url) {
    using file = new DatabaseSync(join(ground.home, "parley.db"));
    file.exec(`pragma user_version = ${version}`);
    return;
  }
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  await client.query("update schema set version = $1", [version]);
  await client.end();
}
