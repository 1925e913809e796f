/** One long-poll after another until there is mail or the time is up. A hub that restarts meanwhile is waited for. */
import type { As } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { isRefused } from "../core/client.ts";
import { Failure } from "../core/failure.ts";
import { type PollArgs, type Polled, pollOnce } from "./call.ts";

interface Wait {
  /** Null: for ever. */
  wait_ms: number | null;
  args: PollArgs;
  /** How long one call waits at most; each is a heartbeat too. */
  each_ms?: number;
  /** Called before each call but the first. */
  again?: () => void;
  /** Whether to wait even for a hub that was never there. */
  patient?: boolean;
}

/** What the hub allows. */
const LONGEST_MS = 300_000;
/** Of calls, by whomever of this principal's: it passes. */
const TOO_MANY = 429;
const PAUSES_MS = [50, 100, 200, 400, 800, 1600];

export async function pollUntil(cli: Cli, as: As, wait: Wait): Promise<Polled> {
  const { wait_ms, args, each_ms = LONGEST_MS, again, patient = false } = wait;
  const ends = wait_ms === null ? Number.POSITIVE_INFINITY : performance.now() + wait_ms;
  let reached = patient;
  let failures = 0;
  for (let first = true; ; first = false) {
    try {
      if (!first) again?.();
      const left = Math.min(ends - performance.now(), each_ms, LONGEST_MS);
      const polled = await pollOnce(cli, as, args, Math.max(0, left));
      reached = true;
      failures = 0;
      if (polled.messages.length > 0 || polled.ended === "superseded") return polled;
      if (performance.now() >= ends) return polled;
      // The hub goes away in good order; the next one is not there yet.
      if (polled.ended === "stopping") await pause(50);
    } catch (error) {
      if (!(error instanceof Failure && isPassing(error))) throw error;
      // Where nobody ever listened there is nothing to wait for.
      reached ||= wasThere(error);
      const pause_ms = Math.max(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0, error.retry_after * 1000);
      if (!reached || performance.now() + pause_ms >= ends) throw error;
      failures += 1;
      await pause(pause_ms);
    }
  }
}

const isPassing = ({ code, status }: Failure): boolean =>
  status === TOO_MANY || ["HUB_UNREACHABLE", "SHUTTING_DOWN", "STORAGE_UNAVAILABLE"].includes(code);

/** A connection that was lost had been there. */
const wasThere = (failure: Failure): boolean =>
  failure.code !== "HUB_UNREACHABLE" || (failure.cause instanceof Error && !isRefused(failure));

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
