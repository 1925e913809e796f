/** A hub on a clock that is set, with very many triggers that are due in the same second. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startHub } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { create } from "../../src/modules/tasks/index.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";

const MINUTE_MS = 60_000;
const home = join(folder, "home");
let now = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + 1;
const running = await startHub(
  {
    ...readConfig({ home, port: 0 }, {}),
    database_url: process.env.DATABASE_URL,
    log_level: "silent",
    rate_limit: 1e9,
    rate_limit_kb: 1e9,
  },
  { now: () => now },
);
const { hub } = running;
const token = readFileSync(join(home, "admin.token"), "utf8").trim();
const admin = await hub.credentials.authenticate({ token, space_id: undefined, caller_agent: undefined });
let fired = 0;
hub.database.onCommit(({ events }) => {
  fired += events.filter(({ type }) => type === "trigger.fired").length;
});

/** Milliseconds it takes. */
async function time(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.();
  const started = performance.now();
  await work();
  return performance.now() - started;
}

answerBench(
  {},
  {
    make: ({ count }: { count: number }) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          hub.call(
            admin,
            hub.tools.find("trigger_create"),
            { name: `every-${n}`, type: "cron", schedule: "* * * * *", prompt: CONTENT },
            { door: "internal" },
          ),
        ),
      ).then(() => undefined),
    /** The next minute comes; until all have fired. */
    fire: async ({ count }: { count: number }) => {
      fired = 0;
      now += MINUTE_MS;
      const ms = await time(() => running.sweep());
      if (fired !== count) throw new Error(`${fired} of ${count} fired`);
      return ms;
    },
    /** As many tasks at once, which is what they become. */
    tasks: ({ count }: { count: number }) =>
      time(() =>
        Promise.all(
          Array.from({ length: count }, () =>
            create(hub.ctx(admin), { content: CONTENT, channel: "task", sender: "bench", sender_id: "bench" }),
          ),
        ),
      ),
  },
);
