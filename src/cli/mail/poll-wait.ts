/** One long-poll after another until there is mail or the time is up. A hub that restarts meanwhile is waited for. */
import type { As } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Patience } from "../core/patience.ts";
import { type PollArgs, type Polled, pollOnce } from "./call.ts";

interface Wait {
  wait_ms: number;
  args: PollArgs;
  /** How long one call waits at most; each is a heartbeat too. */
  each_ms?: number;
  /** Called before each call: what it throws is the end. */
  check?: () => void;
  /** Whether to wait even for a hub that was never there. */
  patient?: boolean;
}

export const pollUntil = (cli: Cli, as: As, { args, each_ms, check, ...wait }: Wait): Promise<Polled> =>
  new Patience(wait).until(
    async (wait_seconds) => {
      check?.();
      return pollOnce(cli, as, args, wait_seconds);
    },
    ({ messages, ended }) => messages.length > 0 || ended === "superseded",
    each_ms,
  );
