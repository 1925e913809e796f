/** What shares a transaction shares nothing else: not its errors, not its delays. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Ctx, TxCtx } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { arm, disarm, type Failpoint } from "../failpoints.ts";
import { post } from "../modules/chat/index.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { statement } from "./statement.ts";

/** However slow the machine is. */
const SOON = { timeout: 90_000 };

const duplicate = statement<Record<string, never>>("insert into hub (name, value) values ('epoch', 'again')");
const add = statement<{ space_id: string; status: string; channel: string; by: number }>(
  `insert into task_totals (space_id, status, channel, tasks) values (:space_id, :status, :channel, :by)
   on conflict (space_id, status, channel) do update set tasks = task_totals.tasks + excluded.tasks`,
);
const total = statement<{ channel: string }, { tasks: number }>(
  "select tasks from task_totals where space_id = 'main' and status = 'done' and channel = :channel",
);
const claimed = statement<{ name: string }>("update hub set value = value where name = :name");
const say = (content: string) => ({ author: "user", mime: "text/plain", content }) as const;

eachDatabase((open, name) => {
  let hub: TestHub;
  let ana: string;
  let ctx: Ctx;
  beforeEach(async () => {
    hub = await open({ now: Date.now() });
    // What a start plans would be the first to meet a failpoint.
    await hub.tick(0);
    ana = await hub.token("human", "ana");
    ctx = await hub.as(ana);
  });
  afterEach(disarm);

  const write = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
    hub.hub.database.write("main", (tx) => work({ ...ctx, db: tx, tx }));
  const contents = async (): Promise<string[]> =>
    (await hub.call(ana, "chat_read_since", { limit: 500 })).body.messages.map((m: { content: string }) => m.content);
  const posting = (content: string, key: string) =>
    hub.call(ana, "chat_human_post", { content }, { "idempotency-key": key });

  test("what operations of a batch add to a number is added once a batch, without what those that fail had added", async () => {
    const [wholes, halves] = ["whole", "half"].map((channel) => ({ space_id: "main", status: "done", channel }));
    if (!wholes || !halves) throw new Error("both are there");
    const added = async (channel: string) => (await hub.hub.database.get(total, { channel }))?.tasks;
    const results = await Promise.allSettled(
      Array.from({ length: 90 }, (_, n) =>
        write(async ({ tx }) => {
          tx.addUp(add, wholes, 2);
          tx.addUp(add, halves, n % 2 ? 1 : -1);
          if (n % 3 === 0) throw new Error("not this one");
          // Only found out when it is written: then the whole batch is done again.
          if (n === 7) await tx.run(duplicate, {});
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(31);
    expect(await added("whole")).toBe(2 * 59);
    expect(await added("half")).toBe(29 - 30);
  });

  test("of a hundred operations at once those that fail take nothing with them and leave nothing behind", async () => {
    const told: number[] = [];
    await hub.hub.feed.listen({ space_id: "main", topic: "chat" }, ({ id }) => told.push(id));
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        write(async (ctx) => {
          const { id } = await post(ctx, say(`n${n}`));
          if (n % 10 === 3) throw new ParleyError("CONFLICT", "No.");
          if (n % 10 === 6) await ctx.tx.run(duplicate, {});
          return id;
        }),
      ),
    );

    const failed = results.flatMap(({ status }, n) => (status === "rejected" ? [n % 10] : []));
    expect(failed).toEqual(Array.from({ length: 10 }, () => [3, 6]).flat());
    const ids = results.flatMap((result) => (result.status === "fulfilled" ? [Number(result.value)] : []));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    await expect.poll(() => told, SOON).toEqual(ids);
    const kept = results.flatMap(({ status }, n) => (status === "fulfilled" ? [`n${n}`] : []));
    expect(await contents()).toEqual(kept);
  });

  test("those that lost a race, and so changed nothing, have no other operation of the batch done a second time", async () => {
    let done = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        write(async (ctx) => {
          if (n % 10 === 3 && (await ctx.tx.runCounted(claimed, { name: "nobody's" })) === 0)
            throw new ParleyError("CONFLICT", "Somebody else has it.");
          await post(ctx, say(`n${n}`));
          done += 1;
        }),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(done).toBe(90);
    expect(await contents()).toHaveLength(90);
  });

  test("an operation that fails alone leaves nothing behind, and the next one goes on", async () => {
    await expect(
      write(async (ctx) => {
        await post(ctx, say("half"));
        await ctx.tx.run(duplicate, {});
      }),
    ).rejects.toThrow();
    await write((ctx) => post(ctx, say("whole")));

    expect(await contents()).toEqual(["whole"]);
    expect(hub.hub.database.health()).toEqual({ state: "ready" });
  });

  test("a write into a space that does not exist fails alone", async () => {
    const { database } = hub.hub;
    const nowhere = database.write("nowhere", async () => "never");
    const here = write((ctx) => post(ctx, say("here")));

    await expect(nowhere).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    await here;
    expect(await contents()).toEqual(["here"]);
  });

  test("reads go on while a batch is slow, and see nothing of it before it is durable", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = write(async (ctx) => {
      await post(ctx, say("slow"));
      await gate.promise;
    });
    const behind = posting("behind", "k");

    expect(await contents()).toEqual([]);
    expect((await hub.call(ana, "whoami")).body.principal).toBe("ana");
    expect((await hub.request("GET", "/readyz")).status).toBe(200);
    gate.resolve();
    await slow;
    expect((await behind).status).toBe(200);
    expect(await contents()).toEqual(["slow", "behind"]);
  });

  if (name === "postgres")
    test("writes of other spaces go on while a batch is slow", async () => {
      const gate = Promise.withResolvers<void>();
      const slow = write(async () => gate.promise);

      expect((await hub.call(hub.admin, "space_create", { id: "sess_other" })).status).toBe(200);
      const answer = await hub.call(hub.admin, "chat_human_post", { content: "hi" }, { "x-session-id": "sess_other" });
      expect(answer.status).toBe(200);
      gate.resolve();
      await slow;
    });

  const nothingWritten: Failpoint[] = ["post.before_begin", "post.after_insert", "post.before_commit"];
  test.each(nothingWritten)(
    "a failure at %s is told, changes nothing, and a retry is the first effect",
    async (point) => {
      arm(`${point}:throw`);
      expect((await posting("once", "k")).status).toBe(500);
      expect(await contents()).toEqual([]);

      expect((await posting("once", "k")).status).toBe(200);
      expect(await contents()).toEqual(["once"]);
    },
  );

  const unknown: Failpoint[] = ["post.in_commit", "post.after_commit"];
  test.each(unknown)("a failure at %s ends without an answer, and the retry finds out", async (point) => {
    const told: number[] = [];
    await hub.hub.feed.listen({ space_id: "main", topic: "chat" }, ({ id }) => told.push(id));
    arm(`${point}:throw`);
    await expect(posting("once", "k")).rejects.toThrow("fetch failed");

    const { body } = await posting("once", "k");
    expect(await contents()).toEqual(["once"]);
    const { body: next } = await posting("next", "k2");
    await expect.poll(() => told, SOON).toEqual([Number(body.id), Number(next.id)]);
  });

  test("a failure while answering does not undo what is durable, and the retry gives the first result", async () => {
    arm("post.before_ack:throw");
    expect((await posting("once", "k")).status).toBe(500);
    expect(await contents()).toEqual(["once"]);

    expect((await posting("once", "k")).status).toBe(200);
    expect(await contents()).toEqual(["once"]);
  });

  const all: Failpoint[] = [
    ...nothingWritten,
    "post.in_commit",
    "post.after_commit",
    "post.before_ack",
    "notify.before",
  ];
  test("a delay anywhere on the way of a post delays it and no more: what is acknowledged can be read at once", async () => {
    const told: number[] = [];
    await hub.hub.feed.listen({ space_id: "main", topic: "chat" }, ({ id }) => told.push(id));
    for (const point of all) {
      arm(`${point}:delay:60`);
      const said = [`${point} a`, `${point} b`];
      for (const { status } of await Promise.all(said.map((content) => posting(content, content))))
        expect(status).toBe(200);
      expect(await contents()).toEqual(expect.arrayContaining(said));
    }
    await expect.poll(() => told.length, SOON).toBe(2 * all.length);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect((await contents()).toSorted()).toEqual(all.flatMap((point) => [`${point} a`, `${point} b`]).toSorted());
  });
});
