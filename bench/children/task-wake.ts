/** A hub that is served, and says when it had committed which event of a task, by the clock that all processes share. */
import { answerBench, folder } from "./answering.ts";
import { startBenchHub } from "./bench-hub.ts";

const { running, token } = await startBenchHub(folder);
const { database, streams } = running.hub;
const committed = new Map<string, number>();
database.onCommit(({ events }) => {
  const at = Number(process.hrtime.bigint()) / 1e6;
  for (const { type, ref } of events) if (type.startsWith("task.")) committed.set(`${type} ${ref}`, at);
});

/** Resolves once so many calls wait. */
async function waiting({ calls }: { calls: number }): Promise<void> {
  while (streams.count(({ kind }) => kind === "wait") < calls) await new Promise((resolve) => setTimeout(resolve, 1));
}

answerBench(
  { port: Number(new URL(running.url).port) },
  {
    token: ({ role, name }: { role: string; name: string }) => token(role, name),
    waiting,
    committed: ({ type, task_id }: { type: string; task_id: string }) => committed.get(`${type} ${task_id}`),
    wake_dir: () => running.hub.config.wake_dir,
  },
);
