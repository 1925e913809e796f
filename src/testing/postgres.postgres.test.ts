import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { createDatabase, query, startPostgres } from "./postgres.ts";
import { Loans } from "./postgres-loans.ts";

afterEach(() => vi.unstubAllEnvs());

test("a fresh database is empty, shared with nobody, and gone once dropped", async () => {
  const first = await createDatabase();
  const second = await createDatabase();
  await query(first.url, "create table notes (body text)");

  expect(await query(second.url, "select to_regclass('notes') as found")).toEqual([{ found: null }]);

  await first.drop();
  await expect(query(first.url, "select 1")).rejects.toMatchObject({ code: "3D000" });
  await second.drop();
});

test("a borrowed database is shared with nobody, and without a row or a connection whoever had it before", async () => {
  // Of the run's own another worker might take the one that is given back.
  const loans = new Loans((await createDatabase()).url);
  await loans.prepare();
  const first = await loans.borrow();
  const second = await loans.borrow();
  expect(first.url).not.toBe(second.url);
  await query(first.url, "create table leftovers (id serial primary key, body text)");
  await query(first.url, "insert into leftovers (body) values ('a'), (repeat('b', 2000000))");
  const connected = new pg.Client({ connectionString: first.url });
  const ended = new Promise((resolve) => connected.on("error", resolve));
  await connected.connect();

  await first.drop();
  await ended;
  const again = await loans.borrow();

  expect(again.url).toBe(first.url);
  expect(await query(again.url, "insert into leftovers (body) values ('c') returning id")).toEqual([{ id: 1 }]);
});

test("text is sorted by language unless the byte order is asked for", async () => {
  const { url, drop } = await createDatabase();
  const sorted = (order: string) =>
    query(
      url,
      `select string_agg(name, ' ' order by ${order}) as names from (values ('ben'), ('Ana'), ('ana')) t (name)`,
    );

  expect(await sorted("name")).toEqual([{ names: "ana Ana ben" }]);
  expect(await sorted('name collate "C"')).toEqual([{ names: "Ana ana ben" }]);
  await drop();
});

test("a server does not run as root", async () => {
  await using server = await startPostgres();
  // Its data always belongs to the user it runs as: it refuses to start otherwise.
  const [row] = await query(server.url, "show data_directory");
  expect(statSync(String(row?.data_directory)).uid).not.toBe(0);
});

test("a killed server refuses connections and comes back at the same place with what was committed", async () => {
  await using server = await startPostgres();
  const killed = server.pid;
  await query(server.url, "create table notes (body text)");
  await query(server.url, "insert into notes values ('kept')");

  await server.kill();
  await expect(query(server.url, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });

  await server.restart();
  expect(server.pid).not.toBe(killed);
  expect(await query(server.url, "select body from notes")).toEqual([{ body: "kept" }]);
});

test("the server that npm brings along starts although no install script ran", async () => {
  vi.stubEnv("PARLEY_TEST_POSTGRES", "embedded");
  await using server = await startPostgres();
  const [row] = await query(server.url, "select setting from pg_config where name = 'BINDIR'");
  expect(row?.setting).toContain("parley-postgres-");
});

test("a server is ended and its folder removed when the process that started it is killed", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", STARTER], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url } = JSON.parse(line);
  const [row] = await query(url, "show data_directory");
  const folder = String(row?.data_directory);
  expect(existsSync(folder)).toBe(true);

  child.kill("SIGKILL");
  await once(child, "exit");

  await expect.poll(() => existsSync(folder)).toBe(false);
  // Whoever connects while it ends may still be taken, and is cut off then.
  const answer = (): Promise<unknown> => query(url, "select 1").catch(({ code }: NodeJS.ErrnoException) => code);
  await expect.poll(answer).toBe("ECONNREFUSED");
});

test("a server that cannot be started fails with what to install", async () => {
  vi.stubEnv("TMPDIR", "/dev/null");
  await expect(startPostgres()).rejects.toThrow(/could not start it: .*ENOTDIR.* apt install postgresql/);
});

const STARTER = `
  import { startPostgres } from ${JSON.stringify(new URL("./postgres.ts", import.meta.url).href)};
  const { url } = await startPostgres();
  console.log(JSON.stringify({ url }));
  setInterval(() => {}, 1000);
`;
