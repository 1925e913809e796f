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
  ["spaces", "mail_subscriptions"],
  statement<{ topic: string }, { n: string }>(
    "select cast(random() as text) as n from spaces s left join mail_subscriptions m on m.topic = :topic where s.id = 'main'",
  ),
);
const steadyList = steady(
  ["mail_subscriptions"],
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
        const names = rows.map(({ topic }) => topic);
        // What one does with its rows is nothing to the next.
        for (const row of rows.splice(0)) row.topic = "spoilt";
        return names;
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

  test("an answer is not kept that was asked for before a change and came after it", async () => {
    const [, next] = await Promise.all([
      write((tx) => Promise.all([tx.all(steadyList, { space_id: "main" }), tx.run(insert, row("new"))])),
      write((tx) => tx.all(steadyList, { space_id: "main" })),
    ]);
    expect(next).toEqual([{ topic: "new" }]);
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
      turns.push(going);
      return Promise.all([tx.run(insert, row("taken")), going]);
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

test("of every statement it is known whether it changes a table, and which", () => {
  const unclear = STATEMENTS.filter(
    ({ sqlite, changes }) => (changes === undefined) !== /^\s*select\b/.test(sqlite.text),
  ).map(({ sqlite }) => sqlite.text);
  expect(unclear).toEqual([]);
  expect(STATEMENTS.filter(({ changes }) => changes === "principals")).not.toHaveLength(0);
});

test("a steady question that does not name all it asks is refused", () => {
  const asks = (text: string, ...tables: string[]) => steady(tables, statement<{ a: string }, { b: string }>(text));
  expect(() => asks("select b from t join\n u on u.a = t.a where t.a = :a", "t")).toThrow("asks u too");
  expect(asks("select b from t join u on u.a = t.a where t.a = :a", "t", "u").steady).toEqual(["t", "u"]);
  expect(asks("select b from json_each(:a) as n join t on t.b = n.value", "t").steady).toEqual(["t"]);
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
