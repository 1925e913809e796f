/** A disk that fills in the middle of a batch: told as what it is, nothing half written, and over when there is space again. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { testDatabases } from "../src/testing/databases.ts";
import { type Child, exited, Ground, PARLEY, until } from "../src/testing/process.ts";
import { SmallDisk } from "../src/testing/small-disk.ts";
import { SmallPostgres } from "../src/testing/small-postgres.ts";

const ENV = { PARLEY_LOG: "silent", PARLEY_RATE_LIMIT_KB: "1000000" };

if (testDatabases().includes("sqlite"))
  test("SQLite: a full disk refuses writes, serves reads, and takes writes again once there is space", async () => {
    await using disk = await SmallDisk.mount(16);
    await using ground = new Ground();
    const home = join(disk.folder, "home");
    const serve = async () => {
      const [command = "", ...args] = [...disk.inside, PARLEY, "serve", "--json", "--home", home];
      const child = ground.watch(spawn(command, args, { env: ground.env(ENV), stdio: ["pipe", "pipe", "pipe"] }));
      return { child, url: await urlOf(child) };
    };
    let hub = await serve();
    const token = readFileSync(disk.outside("home", "admin.token"), "utf8").trim();
    const admin: Caller = { url: () => hub.url, token };

    await fillAndFree(admin, disk);

    // What is on the disk is whole: a hub that was killed looks at all of it before it starts.
    const before = await contents(admin);
    hub.child.kill("SIGKILL");
    await exited(hub.child);
    hub = await serve();
    expect(await contents(admin)).toEqual(before);
  });

if (testDatabases().includes("postgres"))
  test("PostgreSQL: a full disk refuses writes, serves reads, and takes writes again once there is space", async () => {
    await using disk = await SmallDisk.mount(40);
    await using postgres = await SmallPostgres.on(disk);
    await using ground = new Ground();
    const hub = await ground.serve([], { ...ENV, PARLEY_DATABASE_URL: postgres.url });
    const token = readFileSync(join(ground.home, "admin.token"), "utf8").trim();

    await fillAndFree({ url: () => hub.url, token }, disk);
  });

async function fillAndFree(admin: Caller, disk: SmallDisk): Promise<void> {
  const isReady = async () => (await fetch(`${admin.url()}/readyz`)).status === 200;
  // Nothing that can be compressed.
  const messages = Array.from({ length: 60 }, (_, n) => `${n} ${randomBytes(60_000).toString("base64")}`);
  const post = (content: string) => callTool(admin, "chat_human_post", { content }, content.slice(0, 20));
  expect((await post("before"))?.status).toBe(200);
  await until(isReady);

  disk.fill(1_500_000);
  const replies = await Promise.all(messages.map(post));
  const refused = replies.filter((reply) => reply?.status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) expect(reply).toMatchObject({ status: 503, body: { code: "STORAGE_FULL" } });
  await until(async () => !(await isReady()));
  const stored = messages.filter((_, n) => replies[n]?.status === 200);
  expect((await contents(admin)).toSorted()).toEqual(["before", ...stored].toSorted());
  expect(await callTool(admin, "whoami", {})).toMatchObject({ status: 200 });

  disk.free();
  await until(isReady);
  for (const content of messages) {
    const first = await callUntilKnown(admin, "chat_human_post", { content }, content.slice(0, 20));
    expect(await post(content)).toEqual(first);
  }
  expect((await contents(admin)).toSorted()).toEqual(["before", ...messages].toSorted());
}

async function contents(caller: Caller): Promise<string[]> {
  const found: string[] = [];
  for (let after_id: string | null = null, more = true; more; ) {
    const { status, body } = await callUntilKnown(caller, "chat_read_since", { after_id });
    expect(status).toBe(200);
    found.push(...body.messages.map(({ content }: { content: string }) => content));
    after_id = body.last_id;
    more = body.has_more;
  }
  return found;
}

async function urlOf(child: Child): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).url;
  throw new Error("the hub did not start");
}
