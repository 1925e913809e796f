import { cut } from "../../text.ts";
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { invalid, isFailure, recover } from "../core/failure.ts";
import { Patience } from "../core/patience.ts";
import { type Exit, NotStarted, type Program, Running } from "./program.ts";
import type { Task } from "./worker.ts";

/** In parts of a lease: one that got lost on the way costs nothing. */
const BEATS_A_LEASE = 3;
const LEAST_BEAT_MS = 200;
const MOST_ERROR = 4000;
/** Of its last line, which stands in front of them all. */
const MOST_LAST = 1000;
/** So long a worker that is to end waits for a hub that is away. After that the lease ends it. */
const LEAVE_MS = 5000;
/** What the hub says of a task that is not ours any more. */
const GONE = ["LEASE_LOST", "TASK_NOT_FOUND"];

interface Work {
  cli: Cli;
  client: Client;
  /** With which the cookie of its program begins. */
  mark: string;
  task: Task;
  /** For so long the task is ours without a word from us, whatever the clock of this machine says. */
  lease_ms: number;
  program: Program;
  lines: number;
  stop: AbortSignal;
}

export interface Ended {
  outcome: "done" | "failed" | "released" | "lost";
  text: string;
  /** The worker is to end. */
  over: boolean;
  /** What became of the task that failed. */
  now?: Pick<Task, "status" | "run_at">;
}

/** Starts the program for one task, keeps the task while it runs, and tells the hub how it went. */
export async function workOn(work: Work): Promise<Ended> {
  const { cli, task, program, stop, mark } = work;
  const running = new Running(program, { io: cli.io, env: environmentOf(cli, task), input: task.content, mark });
  const kept = keep(work);
  const interrupted = (): void => kept.end("stopped");
  stop.addEventListener("abort", interrupted);
  if (stop.aborted) interrupted();
  try {
    const why = await Promise.race([running.ended.then(() => undefined), kept.reason]);
    if (why !== undefined) await running.end();
    return await report(work, await running.ended, why);
  } catch (error) {
    if (!(error instanceof NotStarted)) throw error;
    // No task's fault: the next would fare no better.
    await release(work, { reason: "its program could not be started", over: true });
    throw invalid(`${error.message} The task was given back.`, { cause: error });
  } finally {
    kept.end("over");
    stop.removeEventListener("abort", interrupted);
  }
}

function environmentOf({ io }: Cli, { id, attempt, channel, sender }: Task): Record<string, string | undefined> {
  return {
    ...io.env,
    PARLEY_CAUSE: id,
    PARLEY_TASK_ID: id,
    PARLEY_TASK_ATTEMPT: String(attempt),
    PARLEY_TASK_CHANNEL: channel,
    PARLEY_TASK_SENDER: sender ?? "",
  };
}

type Reason = "stopped" | "cancelled" | "lost";

interface Keeping {
  /** Why the program is to end before it has. */
  reason: Promise<Reason>;
  end: (why: Reason | "over") => void;
}

/** Renews the lease again and again, until it ends. */
function keep({ client, task, lease_ms }: Work): Keeping {
  const { promise: reason, resolve } = Promise.withResolvers<Reason>();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const end = (why: Reason | "over"): void => {
    over = true;
    clearTimeout(timer);
    if (why !== "over") resolve(why);
  };
  const plan = (after_ms: number): void => {
    if (!over) timer = setTimeout(() => void beat(), Math.max(LEAST_BEAT_MS, after_ms));
  };
  const beat = async (): Promise<void> => {
    try {
      const beaten = await client.call("task_heartbeat", { task_id: task.id, attempt: task.attempt });
      if (beaten.cancel_requested) end("cancelled");
      else plan(lease_ms / BEATS_A_LEASE);
    } catch (error) {
      // A hub that is away is asked again: what it gave stays ours until it says otherwise.
      if (isFailure(error, ...GONE)) end("lost");
      else plan(0);
    }
  };
  plan(lease_ms / BEATS_A_LEASE);
  return { reason, end };
}

async function report({ client, task, lines }: Work, exit: Exit, why: Reason | undefined): Promise<Ended> {
  const of = { task_id: task.id, attempt: task.attempt };
  const over = why === "stopped";
  if (why === "lost") return { outcome: "lost", text: "", over };
  if (why === "stopped") return release({ client, task }, { reason: "its worker was stopped", over });
  if (exit.code === 0 && why === undefined) {
    const text = lastLines(exit.stdout, lines) || "Done.";
    return reported(() => client.call("task_complete", { ...of, response_summary: text }), {
      outcome: "done",
      text,
      over,
    });
  }
  const printed = lastLines(exit.stderr, lines).slice(-MOST_ERROR).toWellFormed();
  const error = errorOf(why === "cancelled" ? "It was cancelled" : `It ended with ${endOf(exit)}`, printed);
  return reported(() => client.call("task_fail", { ...of, error }), { outcome: "failed", text: error, over });
}

/** Lists and boards show its first line: what a program says last, it says of its end. */
function errorOf(how: string, printed: string): string {
  const lines = printed.split("\n");
  if (printed === "") return `${how}.`;
  if (lines.length === 1) return `${how}: ${printed}`;
  return [`${how}: ${cut(lines.at(-1) ?? "", MOST_LAST)}`, ...lines].join("\n");
}

const release = (
  { client, task }: Pick<Work, "client" | "task">,
  { reason, over }: { reason: string; over: boolean },
): Promise<Ended> =>
  reported(() => client.call("task_release", { task_id: task.id, attempt: task.attempt, reason }), {
    ...{ outcome: "released", text: reason, over },
  });

/** A hub that is started anew is waited for; one that has given the task to somebody else has the last word. */
function reported(call: () => Promise<Pick<Task, "status" | "run_at">>, ended: Ended): Promise<Ended> {
  const lost: Ended = { ...ended, outcome: "lost" };
  const tell = (): Promise<Ended> =>
    call().then(({ status, run_at }) => ({ ...ended, now: { status, run_at } }), recover(lost, ...GONE));
  return new Patience({ patient: true, ...(ended.over && { wait_ms: LEAVE_MS }) }).until(tell, () => true);
}

const endOf = ({ code, signal }: Exit): string => (signal === null ? `exit code ${code}` : `signal ${signal}`);

const lastLines = (text: string, lines: number): string => text.trim().split("\n").slice(-lines).join("\n");
