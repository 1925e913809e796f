import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { onDatabase } from "../testing/hub.ts";
import { createDatabase, type TestDatabase } from "../testing/postgres.ts";
import { type Answer, Flush, PassedOver } from "./flush.ts";
import type { Value } from "./statement.ts";

onDatabase("postgres", () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeEach(async () => {
    database = await createDatabase();
    // `pipeline` is newer than the published types.
    client = new pg.Client({ connectionString: database.url, pipeline: true } as pg.ClientConfig);
    await client.connect();
    await client.query("create table t (id bigint primary key, word text)");
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  /** Sends them as one, each under its own text as its name. */
  const send = (...steps: [text: string, ...values: Value[]][]): Promise<PromiseSettledResult<Answer>[]> => {
    const flush = new Flush();
    const answers = steps.map(
      ([text, ...values]) =>
        new Promise<Answer>((resolve, reject) =>
          flush.add({ name: text, text, values, reads: text.startsWith("select"), resolve, reject }),
        ),
    );
    client.query(flush);
    return Promise.allSettled(answers);
  };
  const ADD = "insert into t (id, word) values ($1, $2)";
  const READ = "select id, word from t order by id";
  const rows = async (): Promise<object[]> => (await client.query(READ)).rows;

  test("each of several statements that go out as one has its own answer, the first time and later", async () => {
    for (const id of [1, 2]) {
      const [begun, added, read, committed] = await send(["begin"], [ADD, id, null], [READ], ["commit"]);
      expect([begun, added, committed]).toMatchObject(
        ["BEGIN", "INSERT 0 1", "COMMIT"].map((tag) => ({ status: "fulfilled", value: { tag } })),
      );
      const expected = [1, 2].slice(0, id).map((id) => ({ id, word: null }));
      expect(read).toMatchObject({ status: "fulfilled", value: { rows: expected } });
    }
  });

  test("behind a statement that fails nothing is done, the COMMIT neither, and the connection is as good as before", async () => {
    await send([ADD, 1, "one"]);
    const again = "update t set word = $1";
    const [, , failed, changed, committed] = await send(
      ["begin"],
      [ADD, 2, "two"],
      [ADD, 1, "x"],
      [again, "x"],
      ["commit"],
    );
    expect(failed).toMatchObject({ status: "rejected", reason: { code: "23505" } });
    for (const answer of [changed, committed])
      expect(answer).toMatchObject({ status: "rejected", reason: expect.any(PassedOver) });
    await send(["rollback"]);
    expect(await rows()).toEqual([{ id: "1", word: "one" }]);
    // What was passed over was never prepared; what failed was.
    const answers = await send(["begin"], [ADD, 2, "two"], [again, "new"], ["commit"]);
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
    expect(await rows()).toEqual([
      { id: "1", word: "new" },
      { id: "2", word: "new" },
    ]);
  });

  test("what was described is never read as something else, whatever becomes of the table", async () => {
    await send([ADD, 1, "one"], [READ]);
    await client.query("alter table t add column more text");
    const [same] = await send([READ]);
    expect(same).toMatchObject({ status: "fulfilled", value: { rows: [{ id: 1, word: "one" }] } });
    await client.query("alter table t alter column id type text");
    const [other] = await send([READ]);
    expect(other).toMatchObject({ status: "rejected", reason: { code: "0A000" } });
  });

  test("where the connection breaks each that is not answered is told so", async () => {
    client.on("error", () => undefined);
    const answers = send(["begin"], ["select pg_terminate_backend(pg_backend_pid())"], ["commit"]);
    expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    const [late] = await send(["begin"]);
    expect(late).toMatchObject({ status: "rejected" });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
});
