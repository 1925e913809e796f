/** Durable posts through the hub in this process, and the same statements in bare code on a copy of the same file. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { post } from "../../src/modules/chat/index.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { BareBatches } from "./bare-batches.ts";
import { startBenchHub } from "./bench-hub.ts";
import { record } from "./record.ts";

const SETTLE_MS = 20;
const AUDIT_MS = 150;

interface Round {
  at_once: number;
  times: number;
}

const home = join(folder, "home");
const first = await startBenchHub(home);
const token = await first.token("human", "ana");
await first.token("agent", "scout");
await first.running.stop();
const copy = join(folder, "bare.db");
copyDatabase(join(home, "parley.db"), copy);

const { running, actor, call } = await startBenchHub(home);
const ana = await actor(token);
const ctx = running.hub.ctx(ana);
// What is due at a start would be written in the same transaction as what is recorded.
await running.sweep();
const say = (): Promise<object> =>
  post(ctx, { content: CONTENT, mime: "text/markdown", author: "user", agent: undefined });
const tool = (): Promise<object> => call(ana, "chat_human_post", { content: CONTENT });
const bare = new BareBatches(copy, {
  two: await record(() => Promise.all([tool(), tool()])),
  one: await record(() => Promise.all([tool()])),
});

function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from);
  database.exec("pragma wal_checkpoint(truncate)");
  database.close();
  copyFileSync(from, to);
}

/** Posts a second. */
async function rate({ at_once, times }: Round, batch: () => unknown): Promise<number> {
  globalThis.gc?.();
  await pause(SETTLE_MS);
  const started = performance.now();
  for (let time = 0; time < times; time += 1) await batch();
  return (at_once * times) / ((performance.now() - started) / 1000);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const allAtOnce = (count: number, one: () => Promise<object>) => () => Promise.all(Array.from({ length: count }, one));

answerBench(
  {},
  {
    post: (round: Round) => rate(round, allAtOnce(round.at_once, say)),
    tool: async (round: Round) => {
      const posts = await rate(round, allAtOnce(round.at_once, tool));
      // The audit is written a little later, which must not fall into the time of the other side.
      await pause(AUDIT_MS);
      return posts;
    },
    bare: (round: Round) => rate(round, () => bare.run(round.at_once)),
  },
);
