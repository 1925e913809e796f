/** A mailbox of a hundred mails, of which one or all are marked as read and unread by turns. */
import { join } from "node:path";
import { CONTENT } from "../support/wire.ts";
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const MAILS = 100;

const { actor, call, token } = await startBenchHub(join(folder, "home"));
const ana = await actor(await token("human", "ana"));
const scout = await actor(await token("agent", "scout"));
const sent = await Promise.all(
  Array.from({ length: MAILS }, () => call(ana, "mail_send", { to: ["scout"], subject: "The build", body: CONTENT })),
);
const ids = sent.map((mail) => ("id" in mail ? mail.id : undefined));

/** Milliseconds a change of so many. */
async function time(count: number, times: number): Promise<number> {
  const started = performance.now();
  for (let at = 0; at < times; at += 1)
    await call(scout, "mail_update", { ids: ids.slice(0, count), action: at % 2 === 0 ? "read" : "unread" });
  return (performance.now() - started) / times;
}

answerBench(
  {},
  {
    one: ({ times }: { times: number }) => time(1, times),
    all: ({ times }: { times: number }) => time(MAILS, times),
  },
);
