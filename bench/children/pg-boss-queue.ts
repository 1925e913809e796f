/** pg-boss from npm: whoever works here adds a job, fetches one and completes it, each with a call of its own. */
import { PgBoss } from "pg-boss";
import { CONTENT } from "../support/wire.ts";
import { answerBench } from "./answering.ts";
import { type Round, rateOf } from "./rate.ts";

const NAME = "bench";
const connectionString = process.env.DATABASE_URL ?? "";
// A connection for each worker, as many as the hub may use. What it does on the side is left out.
const boss = new PgBoss({ connectionString, max: 10, schedule: false, supervise: false });
boss.on("error", (error) => {
  throw error;
});
await boss.start();
await boss.createQueue(NAME);

async function cycle(): Promise<void> {
  await boss.send(NAME, { content: CONTENT });
  let [job] = await boss.fetch(NAME);
  // There is one, but it skips those that somebody else is just looking at.
  while (!job) [job] = await boss.fetch(NAME);
  await boss.complete(NAME, job.id, { summary: "All fine." });
}

answerBench({}, { cycle: (round: Round) => rateOf(round, cycle) });
