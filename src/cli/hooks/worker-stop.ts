import { nothing } from "./answers.ts";
import { Continuations } from "./continuations.ts";
import type { Asked, Response } from "./respond.ts";

/**
 * A worker that the runner started does not stop while it has a task, or while one waits that it would be given; but not
 * more often in a row than its client allows, since one that cannot do it would never end.
 */
export async function workerStop({ cli, event, input }: Asked): Promise<Response> {
  const silent = { text: nothing(event) };
  const continuations = new Continuations(cli.home.path, input.session_id ?? "");
  const client = continuations.allow(input.flag("stop_hook_active")) ? cli.find() : undefined;
  if (!client) return silent;
  const name = cli.io.env.PARLEY_WORKER;
  const [{ tasks: begun }, { tasks: waiting }] = await Promise.all([
    client.call("task_list", { status: "processing", limit: 100 }),
    client.call("task_list", { status: "pending", limit: 100 }),
  ]);
  const own = begun.find(({ claimed_by }) => claimed_by === name);
  const next = waiting.find(({ held_for, needs }) => held_for === null && needs.length === 0);
  if (!own && !next) return silent;
  continuations.add();
  return { text: "", blocks: own ? unfinished(own.id) : MORE };
}

const unfinished = (id: string): string =>
  `You still have task ${id}. Finish it and report with task_complete, or give it back with task_fail.`;
const MORE = "Tasks wait for you. Take the next one with get_next_task.";
