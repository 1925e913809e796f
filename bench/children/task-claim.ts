/** Hubs in this process that differ in how many tasks lie in them, to be claimed from. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

type Size = "few" | "many" | "keys";

interface Stock {
  finished: number;
  waiting: number;
  /** Over so many keys, of each of which one may be worked on at a time. */
  keys: number;
}

// The bench writes it.
const STOCKS: Record<Size, Stock> = JSON.parse(process.env.BENCH_STOCKS ?? "{}");

/** All in one statement a kind; ids follow one another. */
function insert(file: string, { finished, waiting, keys }: Stock): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const numbers = "with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?1)";
  const columns = `space_id, id, channel, sender, sender_id, content, status, response_summary, created_at, processed_at,
    priority, order_key, held_for, account, lane, concurrency_key, concurrency_limit, slot, max_attempts, attempt, refunded,
    awaited`;
  const now = new Date().toISOString();
  // Before everything that is there already, so that the space's counter stays where it is.
  const start = (Date.now() - 7_200_000) * 1000;
  database.exec("pragma synchronous = off; pragma cache_size = -200000; begin immediate");
  database
    .prepare(
      `${numbers} insert into tasks (${columns})
       select 'main', ?2 + n, 'internal', 'ana', 'ana', ?3, 'done', 'All fine.', ?4, ?4, 0, ?2 + n, null, 'default',
         'default', null, null, null, 3, 1, 0, 0 from numbers`,
    )
    .run(finished, start, CONTENT, now);
  // The first task of a key may be claimed, the others wait behind it.
  const key = keys === 0 ? "null" : `'key-' || (n % ${keys})`;
  const [held, limit, slot] =
    keys === 0
      ? ["null", "null", "null"]
      : [`case when n > ${keys} then 'concurrency' end`, "1", `case when n <= ${keys} then 1 end`];
  database
    .prepare(
      `${numbers} insert into tasks (${columns})
       select 'main', ?2 + n, 'internal', 'ana', 'ana', ?3, 'pending', null, ?4, null, 0, ?2 + n, ${held}, 'default',
         'default', ${key}, ${limit}, ${slot}, 3, 0, 0, 0 from numbers`,
    )
    .run(waiting, start + finished, CONTENT, now);
  database.exec("commit; pragma wal_checkpoint(truncate)");
  database.close();
}

type Step = "claim" | "completion";

/** Microseconds that one of the two steps of one worker takes. */
async function open(size: Size): Promise<(step: Step, times: number) => Promise<number>> {
  const home = join(folder, size);
  const empty = await startBenchHub(home);
  const token = await empty.token("worker", "mason");
  await empty.running.stop();
  insert(join(home, "parley.db"), STOCKS[size]);
  const { actor, call } = await startBenchHub(home);
  const mason = await actor(token);
  return async (step, times) => {
    let took = 0;
    globalThis.gc?.();
    for (let n = 0; n < times; n += 1) {
      const started = performance.now();
      // What `get_next_task` answers.
      const { next_task } = (await call(mason, "get_next_task", {})) as { next_task: { id: string } | null };
      const claimed = performance.now();
      if (!next_task) throw new Error("no task was there");
      await call(mason, "task_complete", { task_id: next_task.id, response_summary: "All fine." });
      took += step === "claim" ? claimed - started : performance.now() - claimed;
    }
    return (took * 1000) / times;
  };
}

const hubs = { few: await open("few"), many: await open("many"), keys: await open("keys") };
answerBench(
  {},
  { time: ({ size, what, times }: { size: Size; what: Step; times: number }) => hubs[size](what, times) },
);
