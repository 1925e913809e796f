import type { Client } from "./client.ts";

/** The hub says something every 15 seconds; a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

/** Remembers that it was rung until somebody asks, however often it was. */
export class Bell {
  #rang = false;
  #over = false;
  #wake: () => void = () => {};

  ring(): void {
    this.#rang = true;
    this.#wake();
  }

  /** Nobody will ring any more. */
  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Waits for the next ring. False when there will be none. */
  async rung(): Promise<boolean> {
    while (!this.#rang && !this.#over) await new Promise<void>((wake) => (this.#wake = wake));
    const rang = this.#rang;
    this.#rang = false;
    return rang;
  }
}

/** Opens the event stream of a topic and rings the bell for each event; what an event says is not looked at. */
export async function hints(client: Client, topic: string, bell: Bell): Promise<Disposable> {
  const abort = new AbortController();
  const response = await client.open(`/events?topics=${topic}`, { accept: "text/event-stream" }, abort.signal);
  response.setEncoding("utf8");
  response.setTimeout(SILENCE_MS, () => response.destroy());
  let line = "";
  response.on("data", (text: string) => {
    const lines = (line + text).split(/\r?\n/);
    // Only how a line begins matters, so a long one need not be kept whole.
    line = (lines.pop() ?? "").slice(0, 16);
    if (lines.some((line) => line.startsWith("data:"))) bell.ring();
  });
  const end = (): void => bell.end();
  // `error` comes for a connection that was cut; `close` follows in any case.
  response.on("error", end).on("close", end);
  return { [Symbol.dispose]: () => abort.abort() };
}
