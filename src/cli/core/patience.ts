import { isRefused } from "./client.ts";
import { Failure } from "./failure.ts";

/** Of calls, by whomever of this principal's: it passes. */
const TOO_MANY = 429;
const STOPPING_MS = 50;
const PAUSES_MS = [50, 100, 200, 400, 800, 1600];
/** How long the hub holds a call that waits, at most. */
const LONGEST_MS = 300_000;

/** For what goes on while the hub is started anew: how long to wait after a call that failed, and whether to. */
export class Patience {
  readonly #ends: number;
  #reached: boolean;
  #failures = 0;

  /** Patient: waits even for a hub that was never there. */
  constructor({ wait_ms = Number.POSITIVE_INFINITY, patient = false }: { wait_ms?: number; patient?: boolean } = {}) {
    this.#ends = performance.now() + wait_ms;
    this.#reached = patient;
  }

  /** How long there still is. */
  get left_ms(): number {
    return this.#ends - performance.now();
  }

  /** Asks again and again, each time for as long as the hub waits, until that is the answer or the time is up. */
  async until<T>(
    ask: (wait_seconds: number) => Promise<T>,
    isAnswer: (answer: T) => boolean,
    each_ms = LONGEST_MS,
  ): Promise<T> {
    for (;;) {
      try {
        const answer = await ask(Math.ceil(Math.max(0, Math.min(this.left_ms, each_ms, LONGEST_MS)) / 1000));
        this.answered();
        if (isAnswer(answer) || this.left_ms <= 0) return answer;
        // A hub that goes away answers at once, and the next one is not there yet.
        await pause(STOPPING_MS);
      } catch (error) {
        await this.after(error);
      }
    }
  }

  answered(): void {
    this.#reached = true;
    this.#failures = 0;
  }

  /** Waits as long as is fit, or throws the error where that cannot pass, or the time would be over. */
  async after(error: unknown): Promise<void> {
    if (!(error instanceof Failure && isPassing(error))) throw error;
    // Where nobody ever listened there is nothing to wait for.
    this.#reached ||= wasThere(error);
    const pause_ms = Math.max(PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0, error.retry_after * 1000);
    if (!this.#reached || pause_ms >= this.left_ms) throw error;
    this.#failures += 1;
    await pause(pause_ms);
  }
}

const isPassing = ({ code, status }: Failure): boolean =>
  status === TOO_MANY || ["HUB_UNREACHABLE", "SHUTTING_DOWN", "STORAGE_UNAVAILABLE"].includes(code);

/** A connection that was lost had been there. */
const wasThere = (failure: Failure): boolean =>
  failure.code !== "HUB_UNREACHABLE" || (failure.cause instanceof Error && !isRefused(failure));

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
