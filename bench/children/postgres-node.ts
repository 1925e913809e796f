/** A node of the hub on PostgreSQL, which is asked for so many posts or mails at once. */
import { join } from "node:path";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

interface Round {
  at_once: number;
  times: number;
}

const { running, actor, call, token } = await startBenchHub(join(folder, "home"), process.env.DATABASE_URL);
const people = await actor(await token("human", "ana"));
await token("agent", "scout");
let keys = 0;

const post = (): Promise<object> => call(people, "chat_human_post", { content: CONTENT });
const keyed = (): Promise<object> => {
  keys += 1;
  return call(people, "chat_human_post", { content: CONTENT, idempotency_key: `${process.pid} ${keys}` });
};
const mail = (): Promise<object> => call(people, "mail_send", { to: ["scout"], subject: "The build", body: CONTENT });

/** A second, so many at once. */
async function rate({ at_once, times }: Round, one: () => Promise<object>): Promise<number> {
  const started = performance.now();
  for (let time = 0; time < times; time += 1) await Promise.all(Array.from({ length: at_once }, one));
  return (at_once * times) / ((performance.now() - started) / 1000);
}

process.on("disconnect", () => void running.stop());
answerBench(
  {},
  {
    post: (round: Round) => rate(round, post),
    keyed: (round: Round) => rate(round, keyed),
    mail: (round: Round) => rate(round, mail),
  },
);
