/** A hub with a great many events of others, and one at the end that somebody waits for. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const count = Number(process.env.BENCH_EVENTS);
const first = await startBenchHub(folder);
const token = await first.token("human", "ana");
await first.token("agent", "scout");
await first.running.stop();
const after = insert(join(folder, "parley.db"));
const { running, actor, call } = await startBenchHub(folder);
await call(await actor(token), "chat_human_post", { content: "the last one" });

/** Before everything that is there already, so that the space's counter stays where it is. Returns where they begin. */
function insert(file: string): number {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const start = (Date.now() - 3_600_000) * 1000;
  database.exec("pragma synchronous = off; begin immediate");
  const events = database.prepare(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?1)
     insert into events (space_id, id, type, topic, stream, ref, actor_id, data)
     select 'main', ?2 + n, 'bench.noted', 'bench', 'a', ?2 + n, 'hub', ?3 from numbers`,
  );
  events.run(count, start, JSON.stringify({ agent: "scout", author: "user", text: "x".repeat(100) }));
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
  return start;
}

answerBench({ port: Number(new URL(running.url).port), token, after: String(after) });
