/** What a post costs PostgreSQL at the least: the counter's lock, then all rows of a batch, the counter and COMMIT. */
import pg from "pg";
import { CONTENT } from "../support/wire.ts";
import { answerBench } from "./answering.ts";

interface Round {
  at_once: number;
  times: number;
}

const SPACE = "bare";
/** As many as the hub has in one transaction. */
const MOST_AT_ONCE = 256;
const ROWS = 64;
const EVENT = [
  "space_id",
  "id",
  "type",
  "topic",
  "stream",
  "ref",
  "actor_id",
  "data",
  "together",
  "cause",
  "cause_how",
];
const MESSAGE = [
  "space_id",
  "inbox_id",
  "id",
  "author",
  "principal_id",
  "by_principal_id",
  "mime",
  "content",
  "bytes",
  "cause",
  "cause_how",
];

// `pipeline` is newer than the published types.
const client = new pg.Client({ connectionString: process.env.DATABASE_URL, pipeline: true } as pg.ClientConfig);
await client.connect();
await client.query(
  `insert into spaces (id, last_id, default_inbox_id, created_at, created_by) values ($1, 1, 1, '', '') on conflict do nothing`,
  [SPACE],
);

const insert = (table: string, columns: readonly string[], rows: readonly unknown[][]): Promise<unknown> => {
  const row = (at: number): string => `(${columns.map((_, n) => `$${at * columns.length + n + 1}`).join(", ")})`;
  return client.query({
    name: `${table} ${rows.length}`,
    text: `insert into ${table} (${columns.join(", ")}) values ${rows.map((_, at) => row(at)).join(", ")}`,
    values: rows.flat(),
  });
};

async function batch(count: number): Promise<void> {
  void client.query("begin");
  const { rows } = await client.query({
    name: "lock",
    text: "select last_id from spaces where id = $1 for update",
    values: [SPACE],
  });
  const first = Math.max(Number(rows[0]?.last_id) + 1, Date.now() * 1000);
  const ids = Array.from({ length: count }, (_, at) => first + at);
  const data = JSON.stringify({ agent: "scout", author: "user", default: true });
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < count; at += ROWS) {
    const some = ids.slice(at, at + ROWS);
    sent.push(
      insert(
        "events",
        EVENT,
        some.map((id) => [SPACE, id, "chat.posted", "chat", "1", id, "ana", data, null, null, null]),
      ),
      insert(
        "messages",
        MESSAGE,
        some.map((id) => [SPACE, 1, id, "user", "ana", null, "text/markdown", CONTENT, CONTENT.length, null, null]),
      ),
    );
  }
  sent.push(
    client.query({ name: "save", text: "update spaces set last_id = $1 where id = $2", values: [ids.at(-1), SPACE] }),
    client.query("commit"),
  );
  await Promise.all(sent);
}

answerBench(
  {},
  {
    post: async ({ at_once, times }: Round) => {
      const started = performance.now();
      for (let time = 0; time < times; time += 1)
        for (let left = at_once; left > 0; left -= MOST_AT_ONCE) await batch(Math.min(left, MOST_AT_ONCE));
      return (at_once * times) / ((performance.now() - started) / 1000);
    },
  },
);
