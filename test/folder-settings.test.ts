/** FOLDER-1: a data folder remembers its database and its port. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { testDatabases } from "../src/testing/databases.ts";
import { freePort } from "../src/testing/ports.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { Ground } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

const REFUSED = 78;
/** As in a terminal of somebody who set nothing but the folder. */
const PLAIN = { PARLEY_PORT: "" };

interface Status {
  url: string;
  backend: string;
}

describe.each(testDatabases())("%s", (name) => {
  test("a command starts the hub of its folder again with the same database, on the same port", async () => {
    const database = name === "postgres" ? await createDatabase() : undefined;
    const env = { ...PLAIN, ...(database && { PARLEY_DATABASE_URL: database.url }) };
    const port = String(await freePort());
    const hub = await ground.serve(["--port", port], env);
    await ground.json(["agent", "register", "scout"], { env });
    await hub.kill("SIGTERM");

    // The environment of a command says nothing about the port of a hub that has one.
    expect(await ground.json(["agent", "list"], { env: { ...env, PARLEY_PORT: "1" } })).toMatchObject({
      agents: [expect.objectContaining({ name: "scout" })],
    });
    expect(await ground.json<Status>(["status"], { env })).toMatchObject({ url: hub.url, backend: name });
    await ground.json(["stop"], { env });
    await database?.drop();
  });

  test("a port that somebody else has now is said, and no other is taken", async () => {
    const database = name === "postgres" ? await createDatabase() : undefined;
    const env = { ...PLAIN, ...(database && { PARLEY_DATABASE_URL: database.url }) };
    const port = await freePort();
    await (await ground.serve(["--port", String(port)], env)).kill("SIGTERM");
    const other = createServer();
    await new Promise<void>((done) => other.listen(port, "127.0.0.1", done));

    const { code, stderr } = await ground.parley(["whoami"], { env });
    expect([code, stderr]).toEqual([REFUSED, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)]);
    await new Promise((done) => other.close(done));
    await database?.drop();
  });
});

if (testDatabases().includes("postgres"))
  describe("the folder of a PostgreSQL node", () => {
    test("never gets a SQLite hub: without the password a command refuses, and says what to set", async () => {
      const database = await createDatabase();
      await (await ground.serve([], { PARLEY_DATABASE_URL: database.url })).kill("SIGTERM");
      const settings = readFileSync(join(ground.home, "hub-settings.json"), "utf8");
      expect(settings).not.toContain(new URL(database.url).password);

      for (const command of [["chat", "send", "--agent", "scout", "hello"], ["whoami"]]) {
        const { code, stderr } = await ground.parley(command);
        expect([code, stderr]).toEqual([REFUSED, expect.stringContaining("PARLEY_DATABASE_URL")]);
        expect(stderr).not.toContain(new URL(database.url).password);
      }
      expect((await ground.parley(["serve"])).code).toBe(REFUSED);
      expect(existsSync(join(ground.home, "parley.db"))).toBe(false);
      await database.drop();
    });

    test("is started again from the file that its URL was read from", async () => {
      const database = await createDatabase();
      const file = join(ground.folder, "url");
      writeFileSync(file, `${database.url}\n`, { mode: 0o600 });
      const hub = await ground.serve(["--database-url-file", file]);
      expect(readFileSync(`/proc/${hub.pid}/cmdline`, "latin1")).not.toContain(new URL(database.url).password);
      await hub.kill("SIGTERM");
      await ground.json(["whoami"]);
      expect(await ground.json<Status>(["status"])).toMatchObject({ backend: "postgres" });
      await ground.json(["stop"]);
      await database.drop();
    });

    test("takes another database only where that is asked for", async () => {
      const database = await createDatabase();
      const env = { PARLEY_DATABASE_URL: database.url };
      await (await ground.serve()).kill("SIGTERM");
      const refused = await ground.parley(["serve"], { env });
      expect([refused.code, refused.stderr]).toEqual([REFUSED, expect.stringContaining("--switch-database")]);
      expect(refused.stderr).not.toContain(new URL(database.url).password);
      expect((await ground.parley(["whoami"], { env })).code).toBe(REFUSED);

      await (await ground.serve(["--switch-database"], env)).kill("SIGTERM");
      expect((await ground.parley(["serve"])).code).toBe(REFUSED);
      await (await ground.serve(["--switch-database"])).kill("SIGTERM");
      await ground.json(["whoami"]);
      expect(await ground.json<Status>(["status"])).toMatchObject({ backend: "sqlite" });
      await database.drop();
    });
  });

test("a folder that no longer knows its database gets no other: commands refuse, and say what to do", async () => {
  await (await ground.serve()).kill("SIGTERM");
  const file = join(ground.home, "hub-settings.json");
  for (const damaged of ["", '{"host":"127.0.', "null", '{"host":"127.0.0.1","port":8765}']) {
    writeFileSync(file, damaged);
    for (const command of ["whoami", "serve"]) {
      const { code, stderr } = await ground.parley([command]);
      expect([code, stderr]).toEqual([REFUSED, expect.stringContaining("hub-settings.json is damaged. Remove it")]);
    }
    expect(readFileSync(file, "utf8")).toBe(damaged);
  }
});

test("a password of the database is refused on the command line, where everybody would see it", async () => {
  for (const url of ["postgres://parley:hidden@127.0.0.1:1/x", "postgres://parley@127.0.0.1:1/x?password=hidden"]) {
    const { code, stderr } = await ground.parley(["serve", "--database-url", url]);
    expect([code, stderr]).toEqual([REFUSED, expect.stringContaining("--database-url-file")]);
    expect(stderr).not.toContain("hidden");
  }
});

test("a URL that is none of PostgreSQL is refused before anything is made, and not shown", async () => {
  for (const url of ["mysql://parley:hidden@db/x", "parley.db", "postgres:hidden"]) {
    const { code, stderr } = await ground.parley(["serve"], { env: { PARLEY_DATABASE_URL: url } });
    expect([url, code, stderr]).toEqual([url, REFUSED, expect.stringContaining("none of PostgreSQL")]);
    expect(stderr).not.toContain("hidden");
  }
  expect(existsSync(ground.home)).toBe(false);
});

test("a free port is taken anew each time, where a free one was asked for", async () => {
  await (await ground.serve(["--port", "0"])).kill("SIGTERM");
  expect(JSON.parse(readFileSync(join(ground.home, "hub-settings.json"), "utf8"))).toEqual({
    host: "127.0.0.1",
    port: 0,
    database: "sqlite",
  });
  await ground.json(["whoami"], { env: PLAIN });
});

test("a hub that a command starts knows nothing of what the command's own environment holds for others", async () => {
  const secrets = { ANTHROPIC_API_KEY: "sk-ant", CLAUDE_SESSION_ID: "s1", GITHUB_TOKEN: "ghp", AWS_SECRET: "aws" };
  await ground.parley(["send", "--to", "User", "--subject", "s", "--body", "b"], {
    env: { ...secrets, PARLEY_LOG: "warn", TZ: "Europe/Berlin" },
  });
  const { pid } = await ground.json<{ pid: number }>(["status"]);
  const names = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .map((line) => line.split("=")[0]);
  expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "TZ", "PARLEY_LOG"]));
  expect(names.filter((name) => /KEY|TOKEN|SECRET|CLAUDE|SESSION/.test(name ?? ""))).toEqual([]);
});

test("commands that start a hub at the very moment `serve` does are all served by it", async () => {
  const starts = [ground.serve(), ...Array.from({ length: 4 }, () => ground.json(["whoami"]))];
  const [served, ...commands] = await Promise.allSettled(starts);
  expect(commands.map(({ status }) => status)).toEqual(commands.map(() => "fulfilled"));
  if (served?.status === "rejected") expect(String(served.reason)).toContain("Another hub");
});
