import { type FSWatcher, mkdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { Server } from "./support/child.ts";
import { Connection } from "./support/connection.ts";
import { figure, quantile } from "./support/rounds.ts";
import type { Figure, Scenario } from "./support/scenario.ts";
import { CONTENT, callOf, chatPost } from "./support/wire.ts";

const SIZES = { full: { tasks: 200 }, moment: { tasks: 2 } };
const WAIT = { wait_seconds: 60 };

const bounds = { latency: { on: "ours", at_most: 50 } } as const;

export const scenario: Scenario = {
  name: "task-wake",
  measures:
    "From the commit of a task to the worker that waits for one, and from that of its end to the trigger that does, beside a round trip to a bare server",
  bounds,
  async run(effort) {
    const { tasks } = SIZES[effort];
    await using hub = await Server.start("task-wake");
    await using bare = await Server.start("bare");
    using bareConnection = await Connection.open(bare.port);
    using queue = await Queue.open(hub);
    const took = { worker: [] as number[], call: [] as number[], file: [] as number[], bare: [] as number[] };
    for (let task = 0; task < tasks; task += 1) {
      const { id, ms } = await queue.toWorker();
      took.worker.push(ms);
      // In turn: whoever was answered is not told by a file too.
      if (task % 2 === 0) took.call.push(await queue.toCaller(id));
      else took.file.push(await queue.toFile(id));
      const sent = now();
      await bareConnection.ask(chatPost({ port: bare.port, token: "" }));
      took.bare.push(now() - sent);
    }
    const p95 = (name: string, ours: readonly number[]): Figure =>
      figure(`${name}, p95`, [{ ours: quantile(ours, 0.95), reference: quantile(took.bare, 0.95) }], {
        unit: "ms",
        bound: bounds.latency,
      });
    return [
      p95("a waiting worker has the task", took.worker),
      p95("a trigger in task_wait has its end", took.call),
      p95("a trigger has its wake file", took.file),
    ];
  },
};

/** By the clock that all processes of the machine share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

interface Seats {
  worker: Connection;
  trigger: Connection;
  waiting: Connection;
}

/** One worker and one trigger of a hub. */
class Queue implements Disposable {
  readonly #hub: Server;
  readonly #tokens: { worker: string; trigger: string };
  readonly #seats: Seats;
  readonly #folder: string;
  readonly #watcher: FSWatcher;
  readonly #seen = new Map<string, (at: number) => void>();

  static async open(hub: Server): Promise<Queue> {
    const worker = await hub.ask<string>("token", { role: "worker", name: "mason" });
    const trigger = await hub.ask<string>("token", { role: "trigger", name: "nightly" });
    const folder = await hub.ask<string>("wake_dir");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const seat = () => Connection.open(hub.port);
    const seats = { worker: await seat(), trigger: await seat(), waiting: await seat() };
    return new Queue(hub, { worker, trigger }, { seats, folder });
  }

  private constructor(
    hub: Server,
    tokens: { worker: string; trigger: string },
    { seats, folder }: { seats: Seats; folder: string },
  ) {
    this.#hub = hub;
    this.#tokens = tokens;
    this.#seats = seats;
    this.#folder = folder;
    this.#watcher = watch(folder, (_, name) => this.#seen.get(String(name))?.(now()));
  }

  /** A new task, and how many milliseconds after its commit the worker had it. */
  async toWorker(): Promise<{ id: string; ms: number }> {
    const given = this.#call("worker", "worker", "get_next_task", WAIT);
    await this.#hub.ask("waiting", { calls: 1 });
    await this.#call("trigger", "trigger", "task_create", { content: CONTENT });
    const { body, at } = await given;
    const id = idIn(body);
    return { id, ms: at - (await this.#committed("task.created", id)) };
  }

  /** It ends; when who waits for it by a call is answered. */
  async toCaller(id: string): Promise<number> {
    const told = this.#call("waiting", "trigger", "task_wait", { task_ids: [id], ...WAIT });
    await this.#hub.ask("waiting", { calls: 1 });
    await this.#complete(id);
    return (await told).at - (await this.#committed("task.completed", id));
  }

  /** It ends; when the file is there. */
  async toFile(id: string): Promise<number> {
    const name = `.wake-nightly-${id}`;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#seen.set(name, resolve);
    await this.#complete(id);
    const at = await promise;
    this.#seen.delete(name);
    rmSync(join(this.#folder, name));
    return at - (await this.#committed("task.completed", id));
  }

  [Symbol.dispose](): void {
    this.#watcher.close();
    for (const seat of Object.values(this.#seats)) seat[Symbol.dispose]();
  }

  #complete = (task_id: string): Promise<object> =>
    this.#call("worker", "worker", "task_complete", { task_id, response_summary: "All fine." });

  async #committed(type: string, task_id: string): Promise<number> {
    return this.#hub.ask<number>("committed", { type, task_id });
  }

  async #call(
    seat: keyof Seats,
    role: "worker" | "trigger",
    tool: string,
    args: object,
  ): Promise<{ body: string; at: number }> {
    const request = callOf(tool, { port: this.#hub.port, token: this.#tokens[role] }, args);
    const { status, text } = await this.#seats[seat].ask(request);
    const at = now();
    if (status !== 200) throw new Error(`${tool} failed: ${text.slice(0, 500)}`);
    return { body: text.slice(text.indexOf("\r\n\r\n") + 4), at };
  }
}

function idIn(body: string): string {
  // What `get_next_task` answers.
  const { next_task } = JSON.parse(body) as { next_task: { id: string } | null };
  if (!next_task) throw new Error(`the worker was given nothing: ${body}`);
  return next_task.id;
}
