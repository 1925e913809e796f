/** What claims and completions cost SQLite at the least: one statement each on the hub's own table, so many a commit. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";
import type { Round } from "./rate.ts";

const home = join(folder, "home");
await (await startBenchHub(home)).running.stop();
const database = new DatabaseSync(join(home, "parley.db"), { timeout: 5000 });
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
let last = 0;

const insert = database.prepare(
  `insert into tasks (space_id, id, channel, sender, sender_id, content, status, created_at, priority, order_key, account,
   lane, max_attempts, attempt, refunded, awaited)
   values ('main', ?1, 'internal', 'ana', 'ana', ?2, 'pending', ?3, 0, ?1, 'default', 'default', 3, 0, 0, 0)`,
);
const claim = database.prepare(
  `update tasks set status = 'processing', attempt = attempt + 1, worker_id = ?1, worker = ?1, claimed_at = ?2, lease_until = ?2
   where space_id = 'main' and id = (
     select id from tasks where space_id = 'main' and lane = 'default' and status = 'pending' and held_for is null
     order by order_key, id limit 1)
   returning id, content, attempt`,
);
const complete = database.prepare(
  `update tasks set status = 'done', response_summary = ?1, processed_at = ?2, lease_until = null
   where space_id = 'main' and id = ?3 and attempt = ?4 and worker_id = ?5`,
);

function together(work: () => void): void {
  database.exec("begin immediate");
  work();
  database.exec("commit");
}

function batch(size: number): void {
  const claimed: [id: number, attempt: number][] = [];
  const now = new Date().toISOString();
  together(() => {
    for (let at = 0; at < size; at += 1) {
      const row = claim.get(`worker-${at}`, now);
      if (!row) throw new Error("no task was there");
      claimed.push([Number(row.id), Number(row.attempt)]);
    }
  });
  together(() => {
    for (const [at, [id, attempt]] of claimed.entries()) complete.run("All fine.", now, id, attempt, `worker-${at}`);
  });
}

answerBench(
  {},
  {
    fill: ({ count }: Round) =>
      together(() => {
        for (let n = 0; n < count; n += 1) {
          last = Math.max(last + 1, Date.now() * 1000);
          insert.run(last, CONTENT, new Date().toISOString());
        }
      }),
    work: ({ count, workers }: Round) => {
      globalThis.gc?.();
      const started = performance.now();
      for (let left = count; left > 0; left -= workers) batch(Math.min(left, workers));
      return count / ((performance.now() - started) / 1000);
    },
  },
);
