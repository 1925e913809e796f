/** A PostgreSQL that is far away, silent or gone: nobody waits for ever, nothing is done twice, it heals by itself. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { TxCtx } from "../context.ts";
import { arm, disarm } from "../failpoints.ts";
import { post } from "../modules/chat/index.ts";
import { type Open, onDatabase, type TestHub } from "../testing/hub.ts";
import { Network } from "../testing/network.ts";
import { createDatabase, query, type TestDatabase } from "../testing/postgres.ts";
import { until } from "../testing/process.ts";
import { statement } from "./statement.ts";

/** What a caller waits for at most: a connection, and then an answer. */
const PATIENCE_MS = 30_000;
const COMMIT = { "x-session-id": "sess_other", "idempotency-key": "once" };
const say = (content: string) => ({ author: "user", mime: "text/plain", content }) as const;

/** Changes nothing, and its answer is waited for. */
const touch = statement<Record<string, never>>("update hub set value = value where name = 'epoch'");
/** The server ends the connection that it is run on. */
const ending = statement<Record<string, never>>(
  "update hub set value = value where name = 'epoch'",
  "update hub set value = value where name = 'epoch' and pg_terminate_backend(pg_backend_pid())",
);
const newName = statement<{ name: string }>("insert into hub (name, value) values (:name, '') on conflict do nothing");

onDatabase("postgres", (open) => {
  let database: TestDatabase;
  let network: Network;
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    database = await createDatabase();
    network = await Network.to(database.url);
    hub = await open({ config: { database_url: network.url } });
    ana = await hub.token("human", "ana");
  });
  afterEach(async () => {
    disarm();
    network.resume();
    await hub.stop();
    await network[Symbol.asyncDispose]();
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
    await hub.call(hub.admin, "space_create", { id: "sess_other" });
    await posting("before");
    const began = Promise.withResolvers<void>();
    const silent = Promise.withResolvers<void>();
    const half = write(async (ctx) => {
      await post(ctx, say("half"));
      began.resolve();
      await silent.promise;
      await ctx.tx.runCounted(touch, {});
    });
    await began.promise;
    // In another space, one whose commit is on its way when nobody answers any more.
    arm("post.before_commit@events:delay:1000");
    const commit = () => hub.call(hub.admin, "chat_human_post", { content: "once" }, COMMIT);
    const unknown = commit().then(
      ({ body }) => body.code,
      () => "no answer",
    );
    await pause(500);
    network.silence();
    silent.resolve();
    const failed = expect(half).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    const behind = posting("behind");
    const reading = hub.call(ana, "chat_read_since");

    await until(async () => !(await isReady()), 8000);
    const started = performance.now();
    await failed;
    // On a slow machine it had not got as far as the commit.
    expect(["no answer", "STORAGE_UNAVAILABLE"]).toContain(await unknown);
    expect((await behind).body.code).toBe("STORAGE_UNAVAILABLE");
    expect((await reading).body.code).toBe("STORAGE_UNAVAILABLE");
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
    expect(await isReady()).toBe(false);

    network.resume();
    await until(isReady);
    await until(async () => (await posting("behind")).status === 200);
    await until(async () => (await commit()).status === 200);
    expect(await contents()).toEqual(["before", "behind"]);
    const { body } = await hub.call(hub.admin, "chat_read_since", {}, { "x-session-id": "sess_other" });
    expect(body.messages).toMatchObject([{ content: "once" }]);
  });

  test("a transaction stranded on a dead connection does not lock its space for ever", async () => {
    const began = Promise.withResolvers<void>();
    const stranded = Promise.withResolvers<void>();
    const half = write(async (ctx) => {
      await post(ctx, say("half"));
      began.resolve();
      await stranded.promise;
      await ctx.tx.runCounted(touch, {});
    });
    await began.promise;
    network.strand();
    stranded.resolve();
    await expect(half).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });

    await until(async () => (await posting("after")).status === 200);
    expect(await contents()).toEqual(["after"]);
    await until(isReady);
  });

  test("where a node falls silent in the middle of a transaction, others wait for it and fail no call", async () => {
    const other = await open({ config: { database_url: database.url } });
    const began = Promise.withResolvers<void>();
    const waited = Promise.withResolvers<void>();
    const half = write(async (ctx) => {
      await post(ctx, say("half"));
      began.resolve();
      await waited.promise;
      // So far all is well, and the others have waited for a while already.
      await ctx.tx.runCounted(touch, {});
      network.strand();
      await ctx.tx.runCounted(touch, {});
    });
    await began.promise;
    const failed = expect(half).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    const answers = Promise.all(["one", "two"].map((content) => other.call(ana, "chat_human_post", { content })));
    await pause(1000);
    waited.resolve();
    const states = new Set<number>();
    for (let isOver = false; !isOver; isOver = await Promise.race([answers.then(() => true), pause(20, false)]))
      states.add((await other.request("GET", "/readyz")).status);
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
    expect([...states]).toEqual([200]);
    await failed;
    await other.stop();
  });

  test("where the server ends the connection in the middle of a batch nothing of it is there, and the next one goes on", async () => {
    const ctx = await hub.as(ana);
    const half = (n: number): Promise<unknown> =>
      hub.hub.database.write("main", async (tx) => {
        await post({ ...ctx, db: tx, tx }, say(`half ${n}`));
        if (n === 4) await tx.run(ending, {});
      });
    const told = await Promise.allSettled(Array.from({ length: 9 }, (_, n) => half(n)));
    expect(told).toMatchObject(Array(9).fill({ status: "rejected", reason: { code: "OUTCOME_UNKNOWN" } }));

    await until(async () => (await posting("after")).status === 200);
    expect(await contents()).toEqual(["after"]);
  });

  test("a hub that stops while it is silent does not wait for it for ever", async () => {
    network.silence();
    const started = performance.now();
    await hub.stop();
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  });

  test("a slow network costs time and no second connection for hints", async () => {
    network.latency_ms = 40;
    const slow = await open({ config: { database_url: network.url } });
    network.latency_ms = 0;
    await until(async () => (await slow.request("GET", "/readyz")).status === 200);

    expect(await doorbells(database.url)).toBe(2);
    await slow.stop();
    await until(async () => (await doorbells(database.url)) === 1);
  });

  test("word of a commit goes out as one notification, and one that comes in is heeded at once", async () => {
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on("notification", ({ payload }) => heard.push(String(payload)));
    await listener.query("listen parley");
    const told: number[] = [];
    await hub.hub.feed.listen({ space_id: "main", topic: "chat" }, ({ id }) => told.push(id));
    const { body } = await posting("out");
    await until(() => heard.some((payload) => payload.endsWith(" main")));

    // Without the counter the poll cannot find it.
    const id = Number(body.id) + 1;
    await query(
      database.url,
      `insert into events select space_id, ${id}, type, topic, stream, ${id}, actor_id, data
                               from events where id = ${body.id}`,
    );
    await listener.query("select pg_notify('parley', 'stranger main')");
    await expect.poll(() => told).toEqual([Number(body.id), id]);
    await listener.end();
  });

  test("of two spaces that wait for each other one is told to try again, and nothing else is the matter", async () => {
    const spaces = ["sess_one", "sess_other"] as const;
    for (const id of spaces) await hub.call(hub.admin, "space_create", { id });
    let runs = 0;
    const cross = (round: number) => {
      const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const crossing = (space_id: string, names: [string, string], mine: number) =>
        hub.hub.database.write(space_id, async (tx) => {
          await tx.runCounted(newName, { name: `${names[0]}${round}` });
          runs += 1;
          both[mine]?.resolve();
          await Promise.all(both.map(({ promise }) => promise));
          await tx.run(newName, { name: `${names[1]}${round}` });
        });
      runs = 0;
      return Promise.allSettled([crossing(spaces[0], ["x", "y"], 0), crossing(spaces[1], ["y", "x"], 1)]);
    };
    let results = await cross(0);
    // What shares a transaction with something the hub writes by itself is tried once more alone: then it was no race.
    for (let round = 1; runs > spaces.length; round++) results = await cross(round);

    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [lost] = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(lost).toMatchObject({ code: "STORAGE_UNAVAILABLE", message: expect.stringContaining("Try again") });
    expect(hub.hub.database.health()).toEqual({ state: "ready" });
    expect((await posting("on")).status).toBe(200);
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

      await expect.poll(() => told).toEqual([Number(body.id)]);
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
const cutDoorbells = (url: string) =>
  query(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${DOORBELL}`);
