/** What operations of one batch leave to its end, rows that are written together, and what is asked once for all. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import type { Tx } from "./database.ts";
import { STATEMENTS, severalRows, statement, steady } from "./statement.ts";

type Row = { space_id: string; topic: string; principal_id: string; created_at: string };

const insert = statement<Row>(
  `insert into mail_subscriptions (space_id, topic, principal_id, created_at)
   values (:space_id, :topic, :principal_id, :created_at)`,
);
const list = statement<{ space_id: string }, { topic: string }>(
  "select topic from mail_subscriptions where space_id = :space_id order by topic",
);
/** Another answer each time. */
const whatever = steady(
  statement<{ topic: string }, { n: string }>(
    "select cast(random() as text) as n from spaces s left join mail_subscriptions m on m.topic = :topic where s.id = 'main'",
  ),
);
const steadyList = steady(
  statement<{ space_id: string }, { topic: string }>(
    "select topic from mail_subscriptions where space_id = :space_id order by topic",
  ),
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

  test("a batch asks a steady question once, as long as nothing it asks about changes", async () => {
    const ask = (topic: string) => write(async (tx) => (await tx.all(whatever, { topic }))[0]?.n);
    const [first, again, other, , changed] = await Promise.all([
      ask("a"),
      ask("a"),
      ask("b"),
      write((tx) => tx.run(insert, row("c"))),
      ask("a"),
    ]);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(changed).not.toBe(first);
    expect(await ask("a")).not.toBe(changed);
  });

  test("steady questions are answered with what the batch wrote before, and never with what it took back", async () => {
    const ask = () =>
      write(async (tx) => {
        const rows = await tx.all(steadyList, { space_id: "main" });
        // What one does with its rows is nothing to the next.
        return rows.splice(0).map(({ topic }) => topic);
      });
    const add = (name: string, then: () => void = () => {}) =>
      write(async (tx) => {
        await tx.run(insert, row(name));
        await tx.all(steadyList, { space_id: "main" });
        then();
      });
    const fail = () => {
      throw new Error("changed its mind");
    };
    const results = await Promise.allSettled([ask(), add("a"), ask(), ask(), add("b", fail), ask(), add("c"), ask()]);
    const answers = results.map((result) => (result.status === "fulfilled" ? result.value : "failed"));
    expect(answers).toEqual([[], undefined, ["a"], ["a"], "failed", ["a"], undefined, ["a", "c"]]);
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

test("of every statement it is known whether it changes a table, and which", () => {
  const unclear = STATEMENTS.filter(
    ({ sqlite, changes }) => (changes === undefined) !== /^\s*select\b/.test(sqlite.text),
  ).map(({ sqlite }) => sqlite.text);
  expect(unclear).toEqual([]);
  expect(STATEMENTS.filter(({ changes }) => changes === "principals")).not.toHaveLength(0);
});

test("only a plain insert of one row is said for several", () => {
  const said = (text: string) => severalRows(statement<{ a: string; b: string }>(text).sqlite, 2);
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
