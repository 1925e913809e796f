import { type Answer, isConnectionLost, isRefused } from "./client.ts";
import { Failure } from "./failure.ts";
import { pause } from "./patience.ts";

const RETRIES_MS = [100, 400, 1600];

/**
 * A connection that was lost leaves open whether the hub did it. With a key, asking again
 * finds out. Where nobody listened from the beginning there is nothing to find out.
 */
export async function untilKnown(key: string, send: () => Promise<Answer>): Promise<Answer> {
  let lost = false;
  for (const pause_ms of RETRIES_MS) {
    try {
      return await send();
    } catch (error) {
      lost ||= isConnectionLost(error) && !isRefused(error);
      if (!lost) throw error;
      await pause(pause_ms);
    }
  }
  return send().catch((error: unknown) => {
    if (!(error instanceof Failure && isConnectionLost(error))) throw error;
    const again = `Repeat it with --key ${key}: it is done once.`;
    // With the same cause: where another hub can be started, that one is asked.
    throw new Failure("OUTCOME_UNKNOWN", `The hub is gone, and may have done it before. ${again}`, {
      cause: error.cause,
    });
  });
}
