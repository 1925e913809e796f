import { hash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { killMarked } from "../../local/killing.ts";
import { visibleLine } from "../../visible.ts";
import { filesOf } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import type { Client } from "../core/client.ts";
import { defineCommand, integer, repeated, text } from "../core/command.ts";
import { waitOf } from "../core/duration.ts";
import { Failure } from "../core/failure.ts";
import { Patience } from "../core/patience.ts";
import { ProcessLock } from "../core/process-lock.ts";
import type { Output } from "../core/tool-types.ts";
import { actAs } from "../mcp/role.ts";
import { checkProgram, VARIABLE } from "./program.ts";
import { type Ended, workOn } from "./working.ts";

export type Task = NonNullable<Output<"get_next_task">["next_task"]>;

interface Taken {
  task: Task;
  lease_ms: number;
}

/** Not that of `parley mcp` and the hub's own worker: who works under one name is given, and shown, one task. */
const DEFAULT_NAME = "worker-run";
/** How long one question for the next task waits. */
const ASK_MS = 60_000;
const DEFAULT_LEASE_SECONDS = 60;
/** For this part of a lease it is watched whether somebody renews it. */
const WATCHED = 0.4;

export const run = defineCommand({
  examples: [
    "worker run -- ./work.sh",
    "worker run --name builder --offers gpu --offers repo:shop -- python3 work.py --fast",
    "worker run --until-idle 0 -- claude -p",
  ],
  details:
    "Takes tasks one after another and starts the program for each, without a shell: what is to be done is its standard input, and PARLEY_TASK_ID, PARLEY_TASK_ATTEMPT, PARLEY_TASK_CHANNEL and PARLEY_TASK_SENDER are set. While it runs the task stays this worker's. When it ends with exit code 0 its last lines are the result, otherwise the task has failed with what it said on stderr. Ctrl-C, SIGTERM and a closed terminal end the program and give the task back. One worker of a name runs at a time.",
  positionals: { command: { required: true, rest: true, description: "the program and its arguments, behind --" } },
  options: {
    name: text("NAME", `as which worker (default: ${DEFAULT_NAME})`, { env: "PARLEY_WORKER" }),
    offers: repeated("NEED", "what it can do that tasks may need; may be repeated"),
    lines: integer("N", "so many lines are the result", { minimum: 1, maximum: 1000, default: 20 }),
    most: integer("N", "ends after so many tasks", { minimum: 1 }),
    until_idle: text("TIME", "ends when there was no task for so long: 0, 30s, 10m"),
  },
  async run(cli, { command, name = DEFAULT_NAME, offers, lines, most = Number.POSITIVE_INFINITY, until_idle }) {
    const idle_ms = waitOf("--until-idle", until_idle);
    const program = checkProgram(command, cli.io.env, "Nothing was taken.");
    using worker = await Worker.begin(cli, { name, offers });
    cli.out.note(`Working as ${visibleLine(worker.name)}. Ctrl-C ends it.`);
    const { client, mark } = worker;
    for (let worked = 0; worked < most; worked += 1) {
      const taken = await worker.next(idle_ms);
      if (!taken) break;
      const ended = await workOn({ cli, client, mark, ...taken, program, lines, stop: worker.stop });
      await report(cli, taken.task, ended);
      if (ended.over) break;
    }
  },
});

/** Who works: with a credential, and alone under its name. */
class Worker {
  readonly client: Client;
  readonly name: string;
  /** With which the cookie of all that it starts begins. */
  readonly mark: string;
  readonly #offers: string[];
  readonly #lock: ProcessLock;
  readonly #stop = new AbortController();
  readonly #stopped: Promise<"stopped">;
  readonly #interrupt = (): void => this.#stop.abort();
  /** They would end us before the task is given back. */
  readonly #listeners = process.listeners("SIGINT");

  static async begin(cli: Cli, { name, offers }: { name: string; offers: string[] }): Promise<Worker> {
    const files = await filesOf(cli);
    const role = { role: "worker", name, session_key: undefined } as const;
    const client = cli.token ? await cli.connect() : await actAs(cli, files, role);
    const { principal } = await client.call("whoami", {});
    const lock = new ProcessLock(
      join(cli.home.path, "workers", encodeURIComponent(files.space), `${encodeURIComponent(principal)}.lock`),
    );
    if (!lock.take())
      throw new Failure(
        "CONFLICT",
        `A worker runs as ${principal} already (process ${lock.holder()}). Give this one another --name.`,
      );
    const worker = new Worker({ client, name: principal, offers, lock });
    // Nobody else of this name is here. What one that was killed has started would go on beside what takes up its task.
    const killed = await killMarked({ variable: VARIABLE, beginning: `${worker.mark}.` });
    if (killed > 0) cli.out.note(`Ended what the last worker had left running: ${killed} processes.`);
    return worker;
  }

  constructor({ client, name, offers, lock }: { client: Client; name: string; offers: string[]; lock: ProcessLock }) {
    this.mark = hash("sha256", lock.path, "base64url").slice(0, 20);
    this.client = client;
    this.name = name;
    this.#offers = offers;
    this.#lock = lock;
    this.#stopped = new Promise((done) => this.stop.addEventListener("abort", () => done("stopped"), { once: true }));
    process.removeAllListeners("SIGINT").on("SIGINT", this.#interrupt);
    // SIGHUP: the terminal that it runs in was closed.
    process.on("SIGTERM", this.#interrupt).on("SIGHUP", this.#interrupt);
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Undefined when it is to end. */
  async next(idle_ms: number): Promise<Taken | undefined> {
    const ends = performance.now() + idle_ms;
    const patience = new Patience({ patient: true });
    while (!this.stop.aborted) {
      const asked = performance.now();
      const wait_ms = Math.max(0, Math.min(ASK_MS, ends - asked));
      try {
        const given = await Promise.race([this.#ask(wait_ms), this.#stopped]);
        patience.answered();
        if (given === "stopped") break;
        const { next_task, active_task, lease_seconds = DEFAULT_LEASE_SECONDS } = given;
        const lease_ms = lease_seconds * 1000;
        if (next_task) return { task: next_task, lease_ms };
        if (active_task) await this.#giveBackLeft(active_task, { asked, lease_ms });
        else if (performance.now() >= ends) return undefined;
      } catch (error) {
        await Promise.race([patience.after(error), this.#stopped]);
      }
    }
    await this.#leave();
    return undefined;
  }

  /**
   * Of this name somebody has a task already: one that was killed, or one that works elsewhere (`parley mcp`, another
   * machine), and then it is theirs. Whoever lives renews the lease within a third of it; to be asked has just renewed it,
   * and to be looked at does not before half of it is over.
   */
  async #giveBackLeft(task: Task, { asked, lease_ms }: { asked: number; lease_ms: number }): Promise<void> {
    // Nothing else may keep the program going meanwhile: a timer that did not would end it, and with success.
    await pause(lease_ms * WATCHED, undefined, { signal: this.stop }).catch(stoppedOnly(this.stop));
    if (this.stop.aborted) return;
    const { status, attempt, lease_expires_at } = await this.client.call("task_get", { task_id: task.id });
    const is_late = performance.now() - asked >= lease_ms / 2;
    if (is_late || status !== "processing" || attempt !== task.attempt) return;
    if (lease_expires_at !== task.lease_expires_at)
      throw new Failure("CONFLICT", `${this.name} works on task ${task.id} elsewhere. Give this one another --name.`);
    await this.#giveBack(task, "its worker was killed");
  }

  #ask(wait_ms: number): Promise<Output<"get_next_task">> {
    return this.client.call("get_next_task", { offers: this.#offers, wait_seconds: Math.ceil(wait_ms / 1000) });
  }

  /** The question that was broken off may have been answered with a task just now. */
  async #leave(): Promise<void> {
    try {
      const { tasks } = await this.client.call("task_list", { status: "processing", limit: 100 });
      for (const task of tasks) if (task.claimed_by === this.name) await this.#giveBack(task, "its worker was stopped");
    } catch (error) {
      // Without a hub nothing can be given back; then the lease ends it.
      if (!(error instanceof Failure)) throw error;
    }
  }

  async #giveBack({ id: task_id, attempt }: Pick<Task, "id" | "attempt">, reason: string): Promise<void> {
    await this.client.call("task_release", { task_id, attempt, reason });
  }

  [Symbol.dispose](): void {
    process.off("SIGINT", this.#interrupt).off("SIGTERM", this.#interrupt).off("SIGHUP", this.#interrupt);
    for (const listener of this.#listeners) process.on("SIGINT", listener);
    this.#lock.release();
  }
}

const stoppedOnly = (stop: AbortSignal) => (error: unknown) => {
  if (!stop.aborted) throw error;
};

async function report(cli: Cli, task: Task, ended: Ended): Promise<void> {
  const { outcome, text } = ended;
  if (cli.out.json) return cli.out.data({ task_id: task.id, attempt: task.attempt, outcome, text });
  if (cli.out.quiet) return cli.out.write(task.id);
  const [first = ""] = text.trim().split("\n");
  await cli.out.write(`Task ${task.id} ${outcomeOf(cli, ended)}${first === "" ? "" : `: ${visibleLine(first)}`}`);
}

/** Of one that failed it is said what the hub makes of it. */
function outcomeOf(cli: Cli, { outcome, now }: Ended): string {
  if (outcome !== "failed" || now === undefined) return WORDS[outcome];
  if (now.status === "dead") return "has failed for the last time and is dead";
  if (now.status === "cancelled") return "was cancelled";
  return `${WORDS.failed}${now.run_at === null ? "" : `, to be tried again ${cli.out.time(now.run_at)}`}`;
}

const WORDS: Readonly<Record<Ended["outcome"], string>> = {
  done: "is done",
  failed: "has failed",
  released: "is given back",
  lost: "is no longer ours",
};
