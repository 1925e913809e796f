/** So many rows that are due at the same moment, and the same writes in one transaction. */
import { join } from "node:path";
import { systemActor, type TxCtx, transact } from "../../src/context.ts";
import { plan, Scheduler } from "../../src/due/index.ts";
import { append } from "../../src/feed/append.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const KIND = "bench.note";
const { running } = await startBenchHub(join(folder, "home"));
const { database, config, ctx } = running.hub;
const own = (space_id: string) => ctx(systemActor(space_id));
const note = (ctx: TxCtx, ref: number): Promise<number> =>
  append(ctx, { type: "bench.noted", topic: "bench", stream: String(ref), data: { ref } });
const scheduler = new Scheduler({
  database,
  config,
  handlers: new Map([[KIND, async (ctx: TxCtx, { ref }: { ref: number }) => void (await note(ctx, ref))]]),
  ctx: own,
  report: (error) => {
    throw error;
  },
});

const inOneGo = (rows: number, work: (ctx: TxCtx, ref: number) => Promise<unknown>): Promise<void> =>
  transact(own("main"), async (ctx) => {
    for (let ref = 1; ref <= rows; ref += 1) await work(ctx, ref);
  });

/** Milliseconds it takes. */
async function time(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  await work();
  return performance.now() - started;
}

answerBench(
  {},
  {
    due: async ({ rows }: { rows: number }) => {
      await inOneGo(rows, (ctx, ref) => plan(ctx, { kind: KIND, ref, at: database.now() }));
      return time(() => scheduler.sweep());
    },
    one_go: ({ rows }: { rows: number }) => time(() => inOneGo(rows, note)),
  },
);
