/** A reader of `/events`, as a browser or a script is one. */

export interface SentEvent {
  id: string | undefined;
  event: string;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  data: any;
}

export class EventReader implements AsyncDisposable {
  readonly events: SentEvent[] = [];
  /** Resolves when the stream is over, whoever ended it. */
  readonly over: Promise<void>;
  readonly #stop = new AbortController();

  static async open(url: string, token: string, options: { topics?: string; after?: string | undefined } = {}) {
    const stop = new AbortController();
    const response = await fetch(`${url}/events?topics=${options.topics ?? "chat"}`, {
      headers: { authorization: `Bearer ${token}`, ...(options.after && { "last-event-id": options.after }) },
      signal: stop.signal,
    });
    if (response.status !== 200 || !response.body) throw new Error(`/events answered ${response.status}`);
    return new EventReader(response.body, stop);
  }

  private constructor(body: ReadableStream<Uint8Array>, stop: AbortController) {
    this.#stop = stop;
    // However a stream ends, the reader goes on from the last id it has.
    this.over = this.#read(body).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.over;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) this.#take(frame);
    }
  }

  #take(frame: string): void {
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(frame)?.[1];
    const data = field("data");
    if (data !== undefined) this.events.push({ id: field("id"), event: field("event") ?? "", data: JSON.parse(data) });
  }
}
