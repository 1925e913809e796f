/** A hub in this process, on SQLite or PostgreSQL, with tasks that nobody waits for and workers that do nothing with them. */
import { join } from "node:path";
import type { Actor } from "../../src/context.ts";
import { create } from "../../src/modules/tasks/index.ts";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";
import { type Round, rateOf } from "./rate.ts";

/** Those who claim are known by their principal, and each has one task at a time. */
const WORKERS = 8;

const { running, actor, call, token, space } = await startBenchHub(join(folder, "home"), process.env.DATABASE_URL);
/** One that no other node works in, where that is asked for. */
const own_space = process.env.OWN_SPACE === undefined ? undefined : `sess_bench_${process.pid}`;
if (own_space) await space(own_space);
const named = async (role: string, name: string): Promise<Actor> => actor(await token(role, name, own_space));
const ana = await named("human", own_space ? `ana-${process.pid}` : "ana");
const workers: Actor[] = [];
for (let n = 0; n < WORKERS; n += 1) workers.push(await named("worker", `worker-${process.pid}-${n}`));
const sender = running.hub.ctx(ana);

const add = (): Promise<object> =>
  create(sender, { content: CONTENT, channel: "internal", sender: ana.name, sender_id: ana.principal_id });

async function work(worker: Actor): Promise<void> {
  const given = await call(worker, "get_next_task", {});
  // What `get_next_task` answers.
  const { next_task } = given as { next_task: { id: string; attempt: number } | null };
  if (!next_task) throw new Error(`no task was there: ${JSON.stringify(given)}`);
  const { id: task_id, attempt } = next_task;
  await call(worker, "task_complete", { task_id, attempt, response_summary: "All fine." });
}

const workerAt = (at: number): Actor => {
  const worker = workers[at];
  if (!worker) throw new Error(`there are ${WORKERS} workers`);
  return worker;
};

process.on("disconnect", () => void running.stop());
answerBench(
  {},
  {
    fill: async ({ count }: Round) => {
      for (let left = count; left > 0; left -= 500) await Promise.all(Array.from({ length: Math.min(left, 500) }, add));
    },
    work: (round: Round) => rateOf(round, (at) => work(workerAt(at))),
    cycle: (round: Round) =>
      rateOf(round, async (at) => {
        await add();
        await work(workerAt(at));
      }),
    /** The same by a person with the tool, who gets a mail with each result. */
    told: (round: Round) =>
      rateOf(round, async (at) => {
        await call(ana, "task_create", { content: CONTENT });
        await work(workerAt(at));
      }),
  },
);
