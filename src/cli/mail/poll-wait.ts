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

export function pollUntil(cli: Cli, as: As, wait: Wait): Promise<Polled> {
  const { wait_ms, args, each_ms, again, patient = false } = wait;
  const ends = wait_ms === null ? Number.POSITIVE_INFINITY : performance.now() + wait_ms;
  let first = true;
  const ask = async (wait_seconds: number): Promise<Polled> => {
    if (!first) again?.();
    first = false;
    const polled = await pollOnce(cli, as, args, wait_seconds);
    // The hub goes away in good order; the next one is not there yet.
    if (polled.ended === "stopping") await pause(50);
    return polled;
  };
  const isOver = ({ messages, ended }: Polled): boolean => messages.length > 0 || ended === "superseded";
  return new Patience({ ends, patient }).until(ask, isOver, each_ms);
}
