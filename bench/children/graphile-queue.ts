/** graphile-worker from npm: as many as work add jobs one after another, while as many work on them. */
import { Logger, run } from "graphile-worker";
import { CONTENT } from "../support/wire.ts";
import { answerBench } from "./answering.ts";
import { type Round, rateOf } from "./rate.ts";

/** Its own, so that each of several nodes knows when all that it added is done. */
const NAME = `bench-${process.pid}`;
const connectionString = process.env.DATABASE_URL ?? "";
const workers = Number(process.env.WORKERS);
let left = 0;
let through = (): void => {};

const runner = await run({
  connectionString,
  maxPoolSize: 10,
  concurrency: workers,
  noHandleSignals: true,
  crontab: "",
  logger: new Logger(() => (level, message) => {
    if (level === "error") console.error(message);
  }),
  taskList: { [NAME]: async () => {} },
});
runner.events.on("job:complete", () => {
  left -= 1;
  if (left === 0) through();
});

async function cycle({ count, workers }: Round): Promise<number> {
  const all = new Promise<void>((resolve) => {
    through = resolve;
  });
  left = count;
  globalThis.gc?.();
  const started = performance.now();
  await rateOf({ count, workers }, () => runner.addJob(NAME, { content: CONTENT }));
  await all;
  return count / ((performance.now() - started) / 1000);
}

answerBench({}, { cycle });
