/** Two hubs in this process, one with a thousand messages and one with a million, to be read at the head. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Actor } from "../../src/context.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const PAGE = 50;
const SIZES = { few: 1000, many: Number(process.env.BENCH_MANY) };

async function fill(name: keyof typeof SIZES): Promise<() => Promise<object>> {
  const home = join(folder, name);
  const empty = await startBenchHub(home);
  const token = await empty.token("human", "ana");
  await empty.token("agent", "scout");
  const ana = await empty.actor(token);
  await empty.running.stop();
  const last = insert(join(home, "parley.db"), SIZES[name], ana);
  const { actor, call } = await startBenchHub(home);
  const reader: Actor = await actor(token);
  return () => call(reader, "chat_read_since", { after_id: String(last - PAGE), limit: PAGE });
}

/** All in one statement a table; ids follow one another. Returns the last. */
function insert(file: string, count: number, { principal_id, space_id }: Actor): number {
  const database = new DatabaseSync(file, { timeout: 5000 });
  // Before everything that is there already, so that the space's counter stays where it is.
  const start = (Date.now() - 3_600_000) * 1000;
  const numbers = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?1)";
  database.exec("pragma synchronous = off; begin immediate");
  const inbox = "(select default_inbox_id from spaces where id = ?3)";
  const messages = database.prepare(
    `${numbers} insert into messages (space_id, inbox_id, id, author, principal_id, mime, content, bytes)
     select ?3, ${inbox}, ?2 + n, 'user', ?4, 'text/markdown', ?5 || ' ' || n, length(?5) + 8 from numbers`,
  );
  messages.run(count, start, space_id, principal_id, CONTENT);
  const events = database.prepare(
    `${numbers} insert into events (space_id, id, type, topic, stream, ref, actor_id, data)
     select ?3, ?2 + n, 'chat.posted', 'chat', cast(${inbox} as text), ?2 + n, ?4, ?5 from numbers`,
  );
  events.run(count, start, space_id, principal_id, JSON.stringify({ agent: "scout", author: "user" }));
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
  return start + count;
}

/** Microseconds a read takes. */
async function time(read: () => Promise<object>, times: number): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  for (let n = 0; n < times; n += 1) await read();
  return ((performance.now() - started) * 1000) / times;
}

const few = await fill("few");
const many = await fill("many");
for (const read of [few, many]) {
  const page = await read();
  if (!("messages" in page && Array.isArray(page.messages) && page.messages.length === PAGE))
    throw new Error("not a full page");
}
answerBench(
  {},
  {
    few: ({ times }: { times: number }) => time(few, times),
    many: ({ times }: { times: number }) => time(many, times),
  },
);
