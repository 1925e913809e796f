/** What operations of one batch leave to its end, rows that are written together, and what a failed one leaves: nothing. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import type { Tx } from "./database.ts";
import { severalRowsOnPostgres, severalRowsOnSqlite, statement } from "./statement.ts";

type Row = { space_id: string; topic: string; principal_id: string; created_at: string };

const insert = statement<Row>(
  `insert into mail_subscriptions (space_id, topic, principal_id, created_at)
   values (:space_id, :topic, :principal_id, :created_at)`,
);
const list = statement<{ space_id: string }, { topic: string }>(
  "select topic from mail_subscriptions where space_id = :space_id order by topic",
);
eachDatabase((open) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open();
  });

  const row = (topic: string): Row => ({ space_id: "main", topic, principal_id: "p", created_at: "" });
  const write = (work: (tx: Tx) => Promise<unknown>) => hub.hub.database.write("main", work);
  const topics = async (): Promise<string[]> =>
    (await hub.hub.database.all(list, { space_id: "main" })).map(({ topic }) => topic);

  test("what is left to the end of a batch is done once, with the operation that left it or not at all", async () => {
    const results = await Promise.allSettled(
      ["a", "b", "c", "d"].map((name) =>
        write(async (tx) => {
          tx.atEnd((tx) => tx.run(insert, row(`end-${name}`)));
          await tx.run(insert, row(name));
          if (name === "b") throw new Error("changed its mind");
        }),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(await topics()).toEqual(["a", "c", "d", "end-a", "end-c", "end-d"]);
  });

  test("what fails at the end undoes the whole batch, and the next one is not concerned", async () => {
    await expect(
      write(async (tx) => {
        await tx.run(insert, row("a"));
        tx.atEnd((tx) => tx.run(insert, row("a")));
      }),
    ).rejects.toThrow();
    expect(await topics()).toEqual([]);
    await write((tx) => tx.run(insert, row("a")));
    expect(await topics()).toEqual(["a"]);
  });

  test("what an operation goes on with beside its failure gets into nothing that follows", async () => {
    const told: string[] = [];
    hub.hub.database.onCommit(({ events }) => told.push(...events.map(({ type }) => type)));
    const event = { type: "late", topic: "t", stream: "s", ref: 1, actor_id: "a", data: {} };
    const turns: Promise<unknown>[] = [];
    /** Goes on for a while, whatever becomes of the operation. */
    const goOn = async (tx: Tx): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) {
        await tx.all(list, { space_id: "main" });
        await tx.run(insert, row(`late-${turn}`));
        tx.announce({ ...event, id: tx.takeId() });
        tx.atEnd((tx) => tx.run(insert, row(`end-${turn}`)));
      }
    };
    const failing = (tx: Tx) => {
      const going = goOn(tx);
      // One that only finds out what it will read goes no further than its first write.
      if (!tx.prefetching) turns.push(going);
      return Promise.all([going, tx.runCounted(insert, row("taken"))]);
    };
    await write((tx) => tx.run(insert, row("taken")));
    await expect(write(failing)).rejects.toThrow();
    const results = await Promise.allSettled([
      write((tx) => tx.run(insert, row("a"))),
      write(failing),
      write((tx) => tx.run(insert, row("b"))),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await Promise.allSettled(turns)).map(({ status }) => status)).not.toContain("fulfilled");
    await write((tx) => tx.run(insert, row("c")));
    expect(await topics()).toEqual(["a", "b", "c", "taken"]);
    expect(told).toEqual([]);
  });

  test("any number of rows are written together, each as it was given", async () => {
    for (const count of [0, 1, 2, 7, 8, 9, 16, 17, 100]) {
      const names = Array.from({ length: count }, (_, n) => `${count}-${String(n).padStart(3, "0")}`);
      await write((tx) => tx.runAll(insert, names.map(row)));
      expect((await topics()).filter((topic) => topic.startsWith(`${count}-`))).toEqual(names);
    }
  });

  test("one row that cannot be written leaves none of those beside it, whether the operation is alone or not", async () => {
    await write((tx) => tx.run(insert, row("taken")));
    const several = (tx: Tx) => tx.runAll(insert, ["x", "taken", "y"].map(row));
    await expect(write(several)).rejects.toThrow();
    const [, failed] = await Promise.allSettled([write((tx) => tx.run(insert, row("beside"))), write(several)]);
    expect(failed.status).toBe("rejected");
    expect(await topics()).toEqual(["beside", "taken"]);
  });
});

test("only an insert of one row that adds it whatever is there is written for several", () => {
  const said = (text: string) => severalRowsOnSqlite(statement<{ a: string; b: string }>(text).sqlite, 2);
  expect(said("insert into t (a, b) values (:a, :b)")).toBe("insert or fail into t (a, b) values (?, ?), (?, ?)");
  expect(said("insert into t (a, b, c) values (:b, :a, :b)")).toBe(
    "insert or fail into t (a, b, c) values (?, ?, ?), (?, ?, ?)",
  );
  for (const text of [
    "insert into t (a, b) values (:a, :b) on conflict (a) do nothing",
    "insert into t (a, b) values ((select 1), :b)",
    "insert into t (a, b) select :a, :b",
    "update t set a = :a where b = :b",
    "delete from t where a = :a",
  ])
    expect([text, said(text)]).toEqual([text, undefined]);
});

test("on PostgreSQL the parameters of several rows are numbered on, and one name keeps one number in each", () => {
  const { postgres } = statement<{ a: string; b: string }>(
    "insert into t (a, b, c) values (:a, :b, :a) on conflict (a) do nothing",
  );
  expect(severalRowsOnPostgres(postgres, 3)).toBe(
    "insert into t (a, b, c) values ($1, $2, $1), ($3, $4, $3), ($5, $6, $5) on conflict (a) do nothing",
  );
});
