/** BullMQ from npm with a Redis server of its own, which flushes each write to the disk before it answers. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import type { Round } from "./rate.ts";

const NAME = "bench";
const path = join(folder, "redis.sock");
const server = spawn(
  "redis-server",
  [
    "--port",
    "0",
    "--unixsocket",
    path,
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
  ],
  { stdio: ["ignore", "ignore", "inherit"] },
);
const ended = once(server, "exit").then(([code]) => {
  throw new Error(`redis-server ended with ${code}`);
});
process.on("exit", () => server.kill("SIGKILL"));

while (!existsSync(path)) await Promise.race([setTimeout(5), ended]);
const connect = (): Redis => new Redis({ path, maxRetriesPerRequest: null });
const queue = new Queue(NAME, { connection: connect() });
await Promise.race([queue.waitUntilReady(), ended]);
ended.catch(() => {});

/** As many at once as there are workers, until so many are done. */
async function work({ count, workers }: Round): Promise<number> {
  let done = 0;
  const worker = new Worker(NAME, async () => "All fine.", {
    connection: connect(),
    concurrency: workers,
    autorun: false,
  });
  await worker.waitUntilReady();
  const all = new Promise<void>((resolve, reject) => {
    worker.on("completed", () => {
      done += 1;
      if (done === count) resolve();
    });
    worker.on("failed", (_, error) => reject(error));
    worker.on("error", reject);
  });
  globalThis.gc?.();
  const started = performance.now();
  void worker.run();
  await all;
  const rate = count / ((performance.now() - started) / 1000);
  await worker.close();
  return rate;
}

answerBench(
  {},
  {
    fill: async ({ count }: Round) =>
      void (await queue.addBulk(Array(count).fill({ name: NAME, data: { content: CONTENT } }))),
    work,
  },
);
