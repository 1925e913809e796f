import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { isFailure } from "../core/failure.ts";
import type { Output } from "../core/tool-types.ts";
import { indented } from "../core/whole-text.ts";
import { counted } from "../core/words.ts";
import { shown as causesShown } from "../events/why.ts";
import { TASK, taskIds } from "./ids.ts";

type Task = Output<"task_get">;
type Hold = NonNullable<Task["hold"]>;

export const why = defineCommand({
  examples: ["task why 1763366400000000", "task why latest"],
  details: "Why nobody works on it, or what became of it, and then what led to it, step by step.",
  positionals: { task_id: { required: true, names: TASK, description: "the task, as short as names one, or latest" } },
  async run(cli, { task_id: given }) {
    const [task_id = given] = await taskIds(cli, [given]);
    const task = await cli.call("task_get", { task_id });
    // Events are kept for a month, tasks for longer.
    const causes = await cli.call("event_why", { id: task.id }).catch(orGone);
    const reason = reasonOf(cli, task);
    await cli.out.result(
      { task_id: task.id, status: task.status, reason, hold: task.hold, why: causes ?? null },
      () => [reason, "", causes ? causesShown(cli, causes) : "What led to it is no longer kept."].join("\n"),
      [task.id],
    );
  },
});

function orGone(error: unknown): undefined {
  if (!(isFailure(error) && error.status === 404)) throw error;
}

function reasonOf({ out }: Cli, task: Task): string {
  const { id, status, hold, claimed_by, attempt, lease_expires_at, processed_at, error } = task;
  const named = `Task ${id}`;
  const last = error === null ? "" : `\nWhat went wrong last:\n${indented(error)}`;
  const tried = counted(task.attempts.length, "attempt");
  if (status === "pending" && hold?.reason === "delay" && error !== null)
    return `${named} is tried again${hold.until === null ? "" : ` ${out.time(hold.until)}`}, after ${tried}.${last}`;
  if (status === "pending") return `${named} ${hold ? held(out, hold) : "waits for a worker to take it."}${last}`;
  const ended = processed_at === null ? "" : ` ${out.time(processed_at)}`;
  if (status === "dead") return `${named} is dead after ${tried}.${last}`;
  if (status !== "processing") return `${named} was ${status === "done" ? "done" : "cancelled"}${ended}.`;
  const lease = lease_expires_at === null ? "" : `, and its lease ends ${out.time(lease_expires_at)}`;
  const asked = task.cancel_requested_at === null ? "" : " It was asked to stop.";
  return `${named} is worked on by ${visibleLine(claimed_by ?? "somebody")}, attempt ${attempt}${lease}.${asked}`;
}

const WHOSE = { space: "this space", agent: "its agent", account: "the account" } as const;

function held(out: Cli["out"], { reason, until, account, budget, missing, key, limit, tasks }: Hold): string {
  const then = until === null ? "" : ` until ${out.clock(until)}`;
  if (reason === "delay") return `is to begin ${until === null ? "later" : `${out.time(until)} at the earliest`}.`;
  if (reason === "concurrency")
    return `waits its turn: only ${limit} of ${visibleLine(key ?? "")} at a time, now ${tasks.join(", ")}.`;
  if (reason === "needs") return `needs what no worker offers: ${visibleLine(missing.join(", "))}.`;
  if (reason === "quota") return `is held: the quota of the account ${visibleLine(account ?? "")} is used up${then}.`;
  const whose = budget === "account" ? `${WHOSE.account} ${visibleLine(account ?? "")}` : WHOSE[budget ?? "space"];
  return `is held: today's budget of ${whose} is used up${then}, or until more is allowed.`;
}
