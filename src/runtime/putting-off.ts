import type { RetryingPort } from "./port.ts";
import type { Throttled } from "./throttled.ts";

/** So often a turn may meet a quota: then perhaps it is the turn. */
const MOST = 50;
/** Where nobody says when it can go on, it is tried again after that, and each time after twice as long. */
const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;
/** Longer than this nothing is put off at once, whoever says so. */
const A_DAY_MS = 24 * 3_600_000;

/** What becomes of a turn that meets a quota: the hub pauses the agent until that is over, and the same is asked again. */
export class PuttingOff {
  readonly #port: RetryingPort;
  #times = 0;

  constructor(port: RetryingPort) {
    this.#port = port;
  }

  /** Whether it is put off; else the turn has failed. */
  async meets(
    { message, until }: Throttled,
    { signal, ...turn }: { fence: number; turn_id: string; signal: AbortSignal },
  ): Promise<boolean> {
    if (this.#times >= MOST) return false;
    const wait_ms = Math.min(FIRST_MS * 2 ** this.#times, LONGEST_MS);
    this.#times += 1;
    const at = until > Date.now() ? Math.min(until, Date.now() + A_DAY_MS) : Date.now() + wait_ms;
    const args = { ...turn, until: new Date(at).toISOString(), error: message.slice(0, 1000).toWellFormed() };
    return (await this.#port.call("runtime_throttle", args, { signal })).throttled_until !== null;
  }
}
