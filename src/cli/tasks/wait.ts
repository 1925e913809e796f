import { defineCommand, text } from "../core/command.ts";
import { waitOf } from "../core/duration.ts";
import { Patience } from "../core/patience.ts";
import type { Output } from "../core/tool-types.ts";
import { indented } from "../core/whole-text.ts";
import { TASK, taskIds } from "./ids.ts";

export const wait = defineCommand({
  examples: ["task wait 1763366400000000", "task wait latest --timeout 10m"],
  details:
    "Of several the first that ends, also if it had before. Goes on through restarts of the hub. Exit code 0 when it was done, 1 when it was cancelled or is dead, and when the time is up.",
  positionals: {
    task_ids: {
      required: true,
      rest: true,
      names: TASK,
      description: "the tasks, each as short as names one, or latest",
    },
  },
  options: { timeout: text("TIME", "how long: 30s, 10m, 2h; for ever if left out") },
  async run(cli, { task_ids: given, timeout }) {
    const wait_ms = waitOf("--timeout", timeout);
    const task_ids = await taskIds(cli, given);
    cli.out.note(`Waiting${timeout === undefined ? "" : `, at most ${timeout}`}. Ctrl-C ends it.`);
    const waited = await new Patience({ wait_ms, patient: true }).until(
      (wait_seconds) => cli.call("task_wait", { task_ids, wait_seconds }),
      ({ waiting }) => !waiting,
    );
    cli.io.exitCode = waited.task?.status === "done" ? 0 : 1;
    await cli.out.result(waited, () => shown(waited), waited.task ? [waited.task.id] : []);
  },
});

function shown({ task }: Output<"task_wait">): string {
  if (!task) return "None of them has ended.";
  const outcome = task.response_summary ?? task.error ?? "";
  return [`Task ${task.id} is ${task.status}.`, ...(outcome === "" ? [] : [indented(outcome)])].join("\n");
}
