/** Operations of a batch see each other's writes and nobody else's, whatever was read before for all of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { eachDatabase, onDatabase, type TestHub } from "../testing/hub.ts";
import type { Tx } from "./database.ts";
import { footprintOf, isElsewhere, REFERENCED } from "./footprint.ts";
import { STATEMENTS, statement } from "./statement.ts";

type Row = { space_id: string; topic: string; principal_id: string; created_at: string };
type One = { space_id: string; topic: string };

const insert = statement<Row>(
  `insert into mail_subscriptions (space_id, topic, principal_id, created_at)
   values (:space_id, :topic, :principal_id, :created_at) on conflict (space_id, topic, principal_id) do nothing`,
);
const save = statement<Row>(
  `insert into mail_subscriptions (space_id, topic, principal_id, created_at)
   values (:space_id, :topic, :principal_id, :created_at)
   on conflict (space_id, topic, principal_id) do update set created_at = excluded.created_at`,
);
const remove = statement<One>("delete from mail_subscriptions where space_id = :space_id and topic = :topic");
const list = statement<{ space_id: string }, { topic: string; created_at: string }>(
  "select topic, created_at from mail_subscriptions where space_id = :space_id order by topic",
);
const one = statement<One, { created_at: string }>(
  "select created_at from mail_subscriptions where space_id = :space_id and topic = :topic",
);

eachDatabase((open, name) => {
  let hub: TestHub;
  beforeEach(async () => {
    hub = await open();
  });

  const here = { space_id: "main" };
  const row = (topic: string, created_at = ""): Row => ({ ...here, topic, principal_id: "p", created_at });
  const write = <T>(work: (tx: Tx) => Promise<T>) => hub.hub.database.write("main", work);

  test("each operation reads what those before it wrote, and never what was taken back", async () => {
    const ask = () =>
      write(async (tx) => {
        const rows = await tx.all(list, here);
        const names = rows.map(({ topic }) => topic);
        // What one does with its rows is nothing to the next.
        for (const row of rows.splice(0)) row.topic = "spoilt";
        return names;
      });
    const add = (name: string, then: () => void = () => {}) =>
      write(async (tx) => {
        await tx.run(insert, row(name));
        await tx.all(list, here);
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
      write((tx) => Promise.all([tx.all(list, here), tx.run(insert, row("new"))])),
      write((tx) => tx.all(list, here)),
    ]);
    expect(next).toEqual([{ topic: "new", created_at: "" }]);
  });

  test("an operation that lost a race costs no other a second run", async () => {
    const runs = new Map<string, number>();
    const claim = (who: string) =>
      write(async (tx) => {
        if (!tx.prefetching) runs.set(who, (runs.get(who) ?? 0) + 1);
        const won = await tx.runCounted(remove, { ...here, topic: "task" });
        if (won === 0) throw new Error("somebody was faster");
        await tx.run(insert, row(`${who} has it`));
        return who;
      });
    await write((tx) => tx.run(insert, row("task")));
    const names = Array.from({ length: 50 }, (_, n) => `worker-${n}`);
    const results = await Promise.allSettled(names.map((name) => claim(name)));

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect([...runs.values()]).toEqual(names.map(() => 1));
    expect(await hub.hub.database.all(list, here)).toHaveLength(1);
  });

  if (name === "postgres")
    test("a batch waits as often as its longest operation reads, not for each one's reads", async () => {
      const count = 40;
      let asked = 0;
      let asking = 0;
      let most = 0;
      const seen = <T>(rows: Promise<T>): Promise<T> => {
        asked += 1;
        asking += 1;
        most = Math.max(most, asking);
        return rows.finally(() => {
          asking -= 1;
        });
      };
      await Promise.all(
        Array.from({ length: count }, (_, n) =>
          write(async (tx) => {
            const first = await (tx.prefetching
              ? seen(tx.get(one, { ...here, topic: `a-${n}` }))
              : tx.get(one, { ...here, topic: `a-${n}` }));
            await (tx.prefetching
              ? seen(tx.get(one, { ...here, topic: `b-${n}` }))
              : tx.get(one, { ...here, topic: `b-${n}` }));
            await tx.run(insert, row(`a-${n}`, String(first?.created_at ?? "")));
          }),
        ),
      );
      expect(asked).toBe(2 * count);
      // Side by side: one after another there would never be more than one.
      expect(most).toBe(count);
    });

  test("nothing is kept of an operation that is over, however often it was begun", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const held: WeakRef<object>[] = [];
    const add = (n: number) =>
      write(async (tx) => {
        const own = row(`kept-${n}`);
        held.push(new WeakRef(own));
        await tx.all(list, here);
        await tx.run(insert, own);
        await tx.all(list, { space_id: own.space_id });
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)));
    expect(held.length).toBeGreaterThanOrEqual(20);
    const left = (): number => {
      gc();
      return held.filter((one) => one.deref() !== undefined).length;
    };
    await expect.poll(left).toBe(0);
  });

  const topic = fc.constantFrom("a", "b", "c");
  const step = fc.oneof(
    fc.record({ kind: fc.constant("insert" as const), topic }),
    fc.record({ kind: fc.constant("save" as const), topic }),
    fc.record({ kind: fc.constant("remove" as const), topic }),
    fc.record({ kind: fc.constant("one" as const), topic }),
    fc.record({ kind: fc.constant("list" as const), topic }),
    fc.record({ kind: fc.constant("count" as const), topic }),
    fc.record({ kind: fc.constant("fail" as const), topic }),
  );
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

  /** What the operation saw, step by step. */
  const run = async (tx: Tx, steps: readonly Step[], mark: string): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (const { kind, topic } of steps) {
      if (kind === "insert") await tx.run(insert, row(topic, mark));
      if (kind === "save") await tx.run(save, row(topic, mark));
      if (kind === "remove") await tx.run(remove, { ...here, topic });
      if (kind === "count") seen.push(await tx.runCounted(remove, { ...here, topic }));
      if (kind === "one") seen.push((await tx.get(one, { ...here, topic }))?.created_at ?? null);
      if (kind === "list") seen.push(await tx.all(list, here));
      if (kind === "fail") throw new Error("changed its mind");
    }
    return seen;
  };

  /** The same in plain code: one operation after another. */
  const model = (operations: readonly (readonly Step[])[]): { seen: unknown[]; rows: object[] } => {
    let rows = new Map<string, string>();
    const listed = (from: Map<string, string>) =>
      [...from].sort(([a], [b]) => (a < b ? -1 : 1)).map(([topic, created_at]) => ({ topic, created_at }));
    const seen = operations.map((steps, at) => {
      const own = new Map(rows);
      const saw: unknown[] = [];
      for (const { kind, topic } of steps) {
        if (kind === "insert" && !own.has(topic)) own.set(topic, String(at));
        if (kind === "save") own.set(topic, String(at));
        if (kind === "count") saw.push(own.has(topic) ? 1 : 0);
        if (kind === "remove" || kind === "count") own.delete(topic);
        if (kind === "one") saw.push(own.get(topic) ?? null);
        if (kind === "list") saw.push(listed(own));
        if (kind === "fail") return "failed";
      }
      rows = own;
      return saw;
    });
    return { seen, rows: listed(rows) };
  };

  test("whatever operations do at once comes out as if each had run after the one before it", async () => {
    const clear = statement<{ space_id: string }>("delete from mail_subscriptions where space_id = :space_id");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 8 }), async (operations) => {
        await write((tx) => tx.run(clear, here));
        const results = await Promise.allSettled(
          operations.map((steps, at) => write((tx) => run(tx, steps, String(at)))),
        );
        const seen = results.map((result) => (result.status === "fulfilled" ? result.value : "failed"));
        const rows = await hub.hub.database.all(list, here);
        expect({ seen, rows }).toEqual(model(operations));
      }),
      { numRuns: 60 },
    );
  });
});

describe("the footprint of a statement", () => {
  const pins = (text: string) => Object.fromEntries(footprintOf(text).pins);

  test("names what it pins of every row that it reads or changes, and nothing that is uncertain", () => {
    expect(pins("select x from t where a = :a and b = :other and c > :c order by d limit :limit")).toEqual({
      a: "a",
      b: "other",
    });
    expect(pins("select x from t where a = :a or b = :b")).toEqual({});
    expect(pins("select x from t where a = :a and (b = :b or c = :c)")).toEqual({});
    expect(pins("select x from t join u on u.a = t.a where t.a = :a")).toEqual({});
    expect(pins("select (select 1 from u where u.b = :b) from t where a = :a")).toEqual({});
    expect(pins("insert into t (a, b, c) values (:a, 'x', :c)")).toEqual({ a: "a", c: "c" });
    expect(pins("insert into t (a, b) values (:a, :b) on conflict (a) do nothing")).toEqual({ a: "a", b: "b" });
    expect(pins("insert into t (a, b) values (:a, :b) on conflict (a) do update set b = excluded.b")).toEqual({
      a: "a",
    });
    expect(pins("update t set b = :b, c = :c where a = :a and b = :old")).toEqual({ a: "a" });
    expect(pins("update t set b = :b, c = :c where a = :a and b is null")).toEqual({ a: "a", b: "b" });
    expect(pins("update t set b = :b where a = :a and (b is null or c = :c)")).toEqual({});
    expect(pins("update t set b = null where a = :a and b is null")).toEqual({ a: "a" });
    expect(pins("delete from t where a = :a and id <= (select max(id) from t)")).toEqual({});
  });

  test("takes no row with null for another one than a statement looks for that gives it a value", () => {
    const bound = (text: string, args: object) => ({ statement: { footprint: footprintOf(text) }, args });
    const update = bound("update t set b = :b where a = :a and b is null", { a: 1, b: 2 });
    const insert = (args: object) => bound("insert into t (a, b) values (:a, :b)", args);
    expect(isElsewhere(update, insert({ a: 1, b: null }))).toBe(false);
    expect(isElsewhere(update, insert({ a: 1, b: 2 }))).toBe(false);
    expect(isElsewhere(update, insert({ a: 1, b: 3 }))).toBe(true);
    expect(isElsewhere(update, insert({ a: 2, b: null }))).toBe(true);
  });

  test("knows which tables others refer to", async () => {
    const folder = new URL("./migrations/", import.meta.url);
    const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    const referenced = texts.flatMap((text) => [...text.matchAll(/\breferences ([a-z_]+)/g)].map(([, table]) => table));
    expect([...REFERENCED]).toEqual([...new Set(referenced)]);
  });

  test("says of every statement whether it changes a table, and which", () => {
    const unclear = STATEMENTS.filter(
      ({ sqlite, footprint }) => (footprint.changes === undefined) !== /^\s*select\b/.test(sqlite.text),
    ).map(({ sqlite }) => sqlite.text);
    expect(unclear).toEqual([]);
    expect(STATEMENTS.filter(({ footprint }) => footprint.changes === "principals")).not.toHaveLength(0);
  });
});

onDatabase("sqlite", (open) => {
  test("every table that SQLite opens for a read is in its footprint", async () => {
    const { home } = await open();
    using database = new DatabaseSync(join(home, "parley.db"), { readOnly: true });
    const tables = new Map(
      database
        .prepare("select rootpage, tbl_name from sqlite_master where rootpage > 0")
        .all()
        .map(({ rootpage, tbl_name }) => [Number(rootpage), String(tbl_name)]),
    );
    const reads = STATEMENTS.filter(
      // PostgreSQL alone has these.
      ({ sqlite, footprint }) => footprint.changes === undefined && !/\bfor update\b|\bpg_|now\(\)/.test(sqlite.text),
    );
    expect(reads.length).toBeGreaterThan(50);
    const missing = reads.flatMap(({ sqlite, footprint }) =>
      database
        .prepare(`explain ${sqlite.text}`)
        .all()
        .filter(({ opcode, p3 }) => opcode === "OpenRead" && p3 === 0)
        .map(({ p2 }) => tables.get(Number(p2)) ?? "")
        .filter((table) => !footprint.reads.includes(table))
        .map((table) => `${table}: ${sqlite.text}`),
    );
    expect(missing).toEqual([]);
  });
});
