import { Backoff, Pause } from "../../client/backoff.ts";
import { type Client, HubError } from "../../client/index.ts";
import type { Push } from "../../mcp/stdio/channel.ts";
import type { Listener } from "./listener.ts";

/** What the parts of a channel share. */
export interface Session {
  client: Client;
  /** Aborted when nothing is to be pushed any more. */
  signal: AbortSignal;
  place: { home: string; space: string; agent: string };
  push: (push: Push) => Promise<void>;
  listener: Listener;
  /** Repeats what only the hub's absence prevents, and what is not done yet, until the session is over. */
  persist: <T>(work: () => Promise<T>, isDone?: (answer: T) => boolean) => Promise<T>;
  /** For the person who looks into the client's log. */
  note: (text: string) => void;
}

/** Between two questions to a hub that is there. */
const MOST_MS = 1000;

export class Over extends Error {
  override readonly name = "Over";
}

export function createPersist(client: Client, signal: AbortSignal): Session["persist"] {
  return async (work, isDone = () => true) => {
    const backoff = new Backoff(client.pace);
    while (!signal.aborted) {
      try {
        const answer = await work();
        if (isDone(answer)) return answer;
        // A hub that is about to stop answers at once.
        await pauseFor(Math.min(backoff.next(), MOST_MS), signal);
      } catch (error) {
        if (!(error instanceof HubError && error.passing)) throw error;
        await pauseFor(backoff.next(), signal);
      }
    }
    throw new Over("the session is over");
  };
}

export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  const pause = new Pause();
  const end = (): void => pause.end();
  signal.addEventListener("abort", end, { once: true });
  if (!signal.aborted) await pause.for(ms);
  signal.removeEventListener("abort", end);
}
