/** Events that a consumer with a mark handles, and the same statements in bare code on a file of its own. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type RunningHub, startHub } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { systemActor, type TxCtx, transact } from "../../src/context.ts";
import { append } from "../../src/feed/append.ts";
import { saveWatermark } from "../../src/feed/index.ts";
import { MODULES } from "../../src/modules/index.ts";
import { answerBench, folder } from "./answering.ts";

const PAGE = 100;
const home = join(folder, "home");
const bare = join(folder, "bare");
let left = 0;
let through = (): void => {};

/** What a consumer writes for each event: one row. */
const note = (ctx: TxCtx, id: number): Promise<void> =>
  saveWatermark(ctx.tx, {
    subscriber_id: "bench",
    topic: "seen",
    stream: String(id % 1000),
    last_id: id,
    updated_at: "",
  });

const start = (folder: string): Promise<RunningHub> =>
  startHub({ ...readConfig({ home: folder, port: 0 }, {}), log_level: "silent" }, { modules: [...MODULES, sample] });

const sample = {
  name: "sample",
  servers: [],
  tools: [],
  tables: [],
  after: {
    sampler: {
      topic: "bench",
      types: ["bench.noted"],
      run: async (ctx: TxCtx, { id }: { id: number }) => {
        await note(ctx, id);
        left -= 1;
        if (left === 0) through();
      },
    },
  },
};

const fill = ({ hub }: RunningHub, events: number): Promise<void> =>
  transact(hub.ctx(systemActor("main")), async (ctx) => {
    for (let n = 0; n < events; n += 1)
      await append(ctx, { type: "bench.noted", topic: "bench", stream: "a", data: { n } });
  });

/** Events a second. */
async function consumed({ events }: { events: number }): Promise<number> {
  globalThis.gc?.();
  const done = new Promise<void>((resolve) => {
    through = resolve;
  });
  left = events;
  await fill(running, events);
  const started = performance.now();
  await done;
  return events / ((performance.now() - started) / 1000);
}

/** The same reads and writes, one call after another: a page a durable transaction. */
function bareLoop({ events }: { events: number }): number {
  const insert = database.prepare(
    "insert into events (space_id, id, type, topic, stream, ref, actor_id, data) values ('main', ?, 'bench.noted', 'bench', 'a', ?, 'hub', ?)",
  );
  database.exec("begin immediate");
  for (let n = 0; n < events; n += 1) insert.run(mark + n + 1, mark + n + 1, JSON.stringify({ n }));
  database.exec("commit");
  globalThis.gc?.();
  const started = performance.now();
  for (let handled = 0; handled < events; handled += PAGE) {
    database.exec("begin immediate");
    const rows = read.all(mark, PAGE);
    for (const row of rows) save.run("seen", String(Number(row.id) % 1000), Number(row.id));
    mark = Number(rows.at(-1)?.id);
    save.run("feed", "", mark);
    database.exec("commit");
  }
  return events / ((performance.now() - started) / 1000);
}

const empty = await start(bare);
await empty.stop();
const database = new DatabaseSync(join(bare, "parley.db"), { timeout: 5000 });
database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 1000");
const read = database.prepare(
  `select id, type, topic, stream, ref, actor_id, data, together from events
   where space_id = 'main' and id > ? and topic = 'bench' order by id limit ?`,
);
const save = database.prepare(
  `insert into watermarks (space_id, subscriber_id, topic, stream, last_id, updated_at) values ('main', 'bench', ?, ?, ?, '')
   on conflict (space_id, subscriber_id, topic, stream) do update set last_id = excluded.last_id`,
);
let mark = Date.now() * 1000;
const running = await start(home);
answerBench({}, { consumed, bare: bareLoop });
