const FIRST_MS = 15_000;
const LONGEST_MS = 300_000;

interface Failed {
  /** How it was run: run in another way it is another matter. */
  how: string;
  why: string;
  failures: number;
  until_ms: number;
}

interface Failing {
  how: string;
  why: string;
  began_ms: number;
  now_ms: number;
}

/** What fails again and again is begun again after longer and longer pauses. */
export class Pauses {
  readonly #failed = new Map<string, Failed>();

  mayBegin(key: string, { how, now_ms }: { how: string; now_ms: number }): boolean {
    const failed = this.#failed.get(key);
    return failed?.how !== how || now_ms >= failed.until_ms;
  }

  /** Whether that is news. What went well for longer than the longest pause fails for the first time. */
  add(key: string, { how, why, began_ms, now_ms }: Failing): boolean {
    const last = this.#failed.get(key);
    const goes_on = last?.how === how && now_ms - began_ms < LONGEST_MS;
    const failures = goes_on ? last.failures + 1 : 1;
    const pause_ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
    this.#failed.set(key, { how, why, failures, until_ms: now_ms + pause_ms });
    return !goes_on || last.why !== why;
  }
}
