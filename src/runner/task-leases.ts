import { systemActor } from "../context.ts";
import type { Hub } from "../hub.ts";
import { keepTasks } from "../modules/runs/index.ts";
import type { Attempt } from "./attempt.ts";

/** In parts of a lease: one that could not be renewed is the next time. */
const BEATS_A_LEASE = 4;

/** Renews the leases of the tasks that programs of this node have taken, for as long as they live. */
export class TaskLeases implements Disposable {
  readonly #hub: Hub;
  readonly #attempts: ReadonlyMap<string, { attempt: Attempt }>;
  #beat: NodeJS.Timeout | undefined;

  constructor(hub: Hub, attempts: ReadonlyMap<string, { attempt: Attempt }>) {
    this.#hub = hub;
    this.#attempts = attempts;
  }

  begin(): void {
    const every_ms = (this.#hub.config.task_lease_seconds * 1000) / BEATS_A_LEASE;
    this.#beat = setInterval(() => void this.keep(), every_ms).unref();
  }

  async keep(): Promise<void> {
    for (const { attempt } of [...this.#attempts.values()]) {
      const { held, is_worker } = attempt;
      if (!is_worker) continue;
      const keeping = keepTasks(this.#hub.ctx(systemActor(held.space_id)), held);
      await keeping.catch((error: unknown) =>
        this.#hub.log.warn("the lease of a run's task could not be renewed", { run: held.id, error }),
      );
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
  }
}
