import type { ServerResponse } from "node:http";

/** So long at least is an answer held, and so long at most. */
const LEAST_MS = 1000;
const MOST_MS = 60_000;
/** Beyond these nobody is held, and the connection is closed instead. */
const MOST_HELD = 5000;
const FORGET_ABOVE = 10_000;

interface Pace {
  /** Answers that one caller gets without delay. */
  at_once: number;
  /** And how many more a second. */
  a_second: number;
}

/** Somebody we know, who may well be told a few times that it was too much. */
export const KNOWN: Pace = { at_once: 1000, a_second: 100 };
/** Whoever comes without a credential, or with a wrong one, by where they come from: nobody is mistaken that often. */
export const STRANGERS: Pace = { at_once: 100, a_second: 10 };
/** What is open to everybody: a page is about fifty files, and nobody opens dozens of them a second. */
export const OPEN: Pace = { at_once: 2000, a_second: 200 };

/** `late`: the answer was held. `never`: too many of them are, hang up. */
export type AnswerPace = "at once" | "late" | "never";

/**
 * Refusing costs nearly as much as serving, and what is open to everybody has no principal who pays for it. So whoever asks
 * for either without end is slowed down: each further answer is held for a second or until those before it are out, and
 * with it the connection. However many connections a caller has, it gets no more than its pace allows. Others notice
 * nothing of it.
 */
export class Pacing {
  readonly #every_ms: number;
  readonly #at_once_ms: number;
  /** When the bucket of each caller is full again: the virtual clock of a leaky bucket. */
  readonly #full_at = new Map<string, number>();
  #held = 0;

  constructor({ at_once, a_second }: Pace) {
    this.#every_ms = 1000 / a_second;
    this.#at_once_ms = at_once * this.#every_ms;
  }

  /** Resolves when the caller may be told, or has gone. What costs as much as several answers counts as them. */
  async hold(caller: string, response: ServerResponse, cost = 1): Promise<AnswerPace> {
    const wait_ms = this.#wait(caller, cost, performance.now());
    if (wait_ms === 0) return "at once";
    if (this.#held >= MOST_HELD) return "never";
    this.#held += 1;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(LEAST_MS, wait_ms));
      response.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#held -= 1;
    return "late";
  }

  /** Whether the next answer would be held. */
  isSpent(caller: string): boolean {
    return (this.#full_at.get(caller) ?? 0) + this.#every_ms > performance.now() + this.#at_once_ms;
  }

  /** For an answer that turns out to have cost as much as several. */
  spend(caller: string, cost: number): void {
    if (cost > 0) this.#add(caller, cost, performance.now());
  }

  #wait(caller: string, cost: number, now: number): number {
    const full_at = this.#add(caller, cost, now);
    return Math.min(Math.max(0, full_at - now - this.#at_once_ms), MOST_MS);
  }

  #add(caller: string, cost: number, now: number): number {
    const full_at = Math.max(this.#full_at.get(caller) ?? 0, now) + cost * this.#every_ms;
    // No further ahead than the longest wait: whoever comes after an attack from the same place does not pay for all of it.
    this.#remember(caller, Math.min(full_at, now + this.#at_once_ms + MOST_MS), now);
    return full_at;
  }

  #remember(caller: string, full_at: number, now: number): void {
    if (this.#full_at.size >= FORGET_ABOVE)
      for (const [other, at] of this.#full_at) if (at <= now) this.#full_at.delete(other);
    this.#full_at.set(caller, full_at);
  }
}

/** Where a stranger comes from. Whoever has one address of IPv6 has all 2^64 of its network. */
export function sourceOf(address: string | undefined): string {
  if (!address?.includes(":")) return address ?? "";
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
