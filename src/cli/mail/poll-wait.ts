/** One long-poll after another until there is mail or the time is up. A hub that restarts meanwhile is waited for. */
import type { As } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Patience, pause } from "../core/patience.ts";
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

export async function pollUntil(cli: Cli, as: As, wait: Wait): Promise<Polled> {
  const { wait_ms, args, each_ms = LONGEST_MS, again, patient = false } = wait;
  const ends = wait_ms === null ? Number.POSITIVE_INFINITY : performance.now() + wait_ms;
  const patience = new Patience({ ends, patient });
  for (let first = true; ; first = false) {
    try {
      if (!first) again?.();
      const polled = await pollOnce(cli, as, args, Math.max(0, Math.min(patience.left_ms, each_ms, LONGEST_MS)));
      patience.answered();
      if (polled.messages.length > 0 || polled.ended === "superseded") return polled;
      if (patience.left_ms <= 0) return polled;
      // The hub goes away in good order; the next one is not there yet.
      if (polled.ended === "stopping") await pause(50);
    } catch (error) {
      await patience.after(error);
    }
  }
}
