/** Hubs that are killed in the middle of a migration, that start together, or that meet a newer database. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, test } from "vitest";
import { MIGRATIONS } from "../src/db/migrations/index.ts";
import { COMPILED } from "../src/testing/compiled.ts";
import { callTool } from "../src/testing/crowd.ts";
import { ended } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const MIGRATING = fileURLToPath(new URL("../src/testing/migrating.ts", import.meta.url));
const KILLED = { signal: "SIGKILL" };

eachDatabaseOfHubs((database) => {
  const serve = ({ ground, database }: Restarts, failpoint = "") =>
    ground.parley(["serve", "--json"], { env: { ...database, PARLEY_FAILPOINT: failpoint } });

  /** Of a hub only this: it takes a third of the time. */
  const migrate = ({ ground, database }: Restarts, failpoint: string) => {
    const env = { ...ground.env(database), ...COMPILED, PARLEY_FAILPOINT: failpoint };
    return ended(ground.watch(spawn(process.execPath, [MIGRATING], { env, stdio: ["pipe", "pipe", "pipe"] })));
  };

  test("killed in each step of a migration, the next hub completes it; of a newer one it keeps its hands", async () => {
    await using restarts = await Restarts.on(database);
    // The first time in the first step; later ones finish the step that was broken off and die in the next.
    expect(await serve(restarts, "migrate.after_step:kill:1")).toMatchObject(KILLED);
    for (const [step] of MIGRATIONS.slice(1, -1).entries())
      expect([step, await migrate(restarts, "migrate.after_step:kill:2")]).toMatchObject([step, KILLED]);
    expect(await serve(restarts, "migrate.after_step:kill:2")).toMatchObject(KILLED);

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
