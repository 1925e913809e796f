/** A PostgreSQL that is far away, silent or gone: nobody waits for ever, nothing is done twice, it heals by itself. */
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { arm, disarm } from "../failpoints.ts";
import { post } from "../modules/chat/index.ts";
import { onDatabase, type Open, type TestHub } from "../testing/hub.ts";
import { createDatabase, type TestDatabase } from "../testing/postgres.ts";
import { until } from "../testing/process.ts";
import { Proxy } from "../testing/proxy.ts";

/** What a caller waits for at most: a connection, and then an answer. */
const PATIENCE_MS = 30_000;
const say = (content: string) => ({ author: "user", mime: "text/plain", content }) as const;

onDatabase("postgres", (open) => {
  let database: TestDatabase;
  let proxy: Proxy;
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    database = await createDatabase();
    proxy = await Proxy.to(database.url);
    hub = await open({ config: { database_url: proxy.url } });
    ana = await hub.token("human", "ana");
  });
  afterEach(async () => {
    disarm();
    proxy.resume();
    await hub.stop();
    await proxy[Symbol.asyncDispose]();
    await database.drop();
  });

  const posting = (content: string, headers: Record<string, string> = {}) =>
    hub.call(ana, "chat_human_post", { content }, { "idempotency-key": content, ...headers });
  const contents = async (): Promise<string[]> =>
    (await hub.call(ana, "chat_read_since")).body.messages.map(({ content }: { content: string }) => content);
  const isReady = async () => (await hub.request("GET", "/readyz")).status === 200;
  const write = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
    hub.as(ana).then((ctx) => hub.hub.database.write("main", (tx) => work({ ...ctx, db: tx, tx })));

  test("when it falls silent the hub says so soon, calls end, and everything heals by itself", async () => {
    await posting("before");
    const began = Promise.withResolvers<void>();
    const silent = Promise.withResolvers<void>();
    const half = write(async (ctx) => {
      await post(ctx, say("half"));
      began.resolve();
      await silent.promise;
      await post(ctx, say("other half"));
    });
    await began.promise;
    proxy.silence();
    silent.resolve();
    const failed = expect(half).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    const behind = posting("behind");
    const reading = hub.call(ana, "chat_read_since");

    await until(async () => !(await isReady()), 8000);
    const started = performance.now();
    await failed;
    expect((await behind).body.code).toBe("STORAGE_UNAVAILABLE");
    expect((await reading).body.code).toBe("STORAGE_UNAVAILABLE");
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
    expect(await isReady()).toBe(false);

    proxy.resume();
    await until(isReady);
    await until(async () => (await posting("behind")).status === 200);
    expect((await posting("behind")).status).toBe(200);
    expect(await contents()).toEqual(["before", "behind"]);
  });

  test("a commit whose answer never comes ends without one, and the retry finds out", async () => {
    arm("post.before_commit:delay:300");
    const unknown = expect(posting("once")).rejects.toThrow("fetch failed");
    await new Promise((resolve) => setTimeout(resolve, 150));
    proxy.silence();
    await unknown;
    proxy.resume();

    await until(async () => (await posting("once")).status === 200);
    expect(await contents()).toEqual(["once"]);
  });

  test("a transaction stranded on a dead connection does not lock its space for ever", async () => {
    const began = Promise.withResolvers<void>();
    const stranded = Promise.withResolvers<void>();
    const half = write(async (ctx) => {
      await post(ctx, say("half"));
      began.resolve();
      await stranded.promise;
      await post(ctx, say("other half"));
    });
    await began.promise;
    proxy.strand();
    stranded.resolve();
    await expect(half).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });

    await until(async () => (await posting("after")).status === 200);
    expect(await contents()).toEqual(["after"]);
    await until(isReady);
  });

  test("a hub that stops while it is silent does not wait for it for ever", async () => {
    proxy.silence();
    const started = performance.now();
    await hub.stop();
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  });

  test("a slow network costs time and no second connection for hints", async () => {
    proxy.latency_ms = 120;
    const slow = await open({ config: { database_url: proxy.url } });
    proxy.latency_ms = 0;
    await until(async () => (await slow.request("GET", "/readyz")).status === 200);

    expect(await doorbells(database.url)).toBe(2);
    await slow.stop();
    await until(async () => (await doorbells(database.url)) === 1);
  });

  test("word from another node arrives although the connection for hints was cut", async () => {
    const other = await neighbour(open, database.url);
    await hub.call(hub.admin, "space_create", { id: "sess_cut" });
    const headers = { "x-session-id": "sess_cut" };
    for (const round of ["first", "second", "third"]) {
      const told: number[] = [];
      await cutDoorbells(database.url);
      const stop = await hub.hub.feed.listen({ space_id: "sess_cut", topic: "chat" }, ({ id }) => told.push(id));
      const { body } = await other.call(other.admin, "chat_human_post", { content: round }, headers);

      await expect.poll(() => told, { timeout: 30_000 }).toEqual([Number(body.id)]);
      stop();
    }
  });
});

const neighbour = (open: Open, database_url: string): Promise<TestHub> => open({ config: { database_url } });

async function doorbells(url: string): Promise<number> {
  const [row] = await query(url, `select count(*)::int as count from pg_stat_activity where ${DOORBELL}`);
  return Number(row?.count);
}

const DOORBELL = "application_name = 'parley doorbell' and datname = current_database()";
const cutDoorbells = (url: string) => query(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${DOORBELL}`);

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
