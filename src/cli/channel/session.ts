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
  /** Repeats what only the hub's absence prevents, until the session is over. */
  persist: <T>(work: () => Promise<T>) => Promise<T>;
  /** For the person who looks into the client's log. */
  note: (text: string) => void;
}

export class Over extends Error {
  override readonly name = "Over";
}

export function createPersist(client: Client, signal: AbortSignal): Session["persist"] {
  return async (work) => {
    const backoff = new Backoff(client.pace);
    for (;;) {
      if (signal.aborted) throw new Over("the session is over");
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof HubError && error.passing)) throw error;
        await pauseFor(backoff.next(), signal);
      }
    }
  };
}

export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  const pause = new Pause();
  const end = (): void => pause.end();
  signal.addEventListener("abort", end, { once: true });
  if (!signal.aborted) await pause.for(ms);
  signal.removeEventListener("abort", end);
}
