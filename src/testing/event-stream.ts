/** A reader of `/events`, as a browser's EventSource is one. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

export interface StreamedEvent {
  id: string | undefined;
  event: string;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  data: any;
}

interface Options {
  /** Left out where a cookie among the headers says who it is. */
  token?: string;
  topics?: string;
  last_event_id?: string | undefined;
  headers?: Record<string, string>;
}

export class EventStream implements Disposable {
  readonly response: IncomingMessage;
  readonly events: StreamedEvent[] = [];
  /** What an EventSource would send as `Last-Event-ID`. */
  last_id: string | undefined;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
  #text = "";
  #wake: () => void = () => {};
  #over = false;

  static async open(url: string, { token, topics = "chat", last_event_id, headers }: Options): Promise<EventStream> {
    const asking = request(`${url}/events?topics=${topics}`, {
      agent: false,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(last_event_id !== undefined && { "last-event-id": last_event_id }),
        ...headers,
      },
    }).end();
    const [response] = (await once(asking, "response")) as [IncomingMessage];
    // A connection that is cut later is told by `ended`.
    asking.on("error", () => {});
    if (response.statusCode !== 200) throw new Error(`/events answered ${response.statusCode}`);
    return new EventStream(response);
  }

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#over = true;
        resolve();
        this.#wake();
      };
      // A stream that is cut emits `error`; `close` follows in any case.
      response.on("error", () => {}).on("close", end);
    });
  }

  /** Waits until there are that many events. */
  async until(count: number): Promise<StreamedEvent[]> {
    while (this.events.length < count) {
      if (this.#over) throw new Error(`the stream ended after ${this.events.length} of ${count} events`);
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    return this.events;
  }

  get ids(): (string | undefined)[] {
    return this.events.map(({ id }) => id);
  }

  [Symbol.dispose](): void {
    this.response.destroy();
  }

  #hear(text: string): void {
    const blocks = (this.#text + text).split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#read(block.split("\n"));
    this.#wake();
  }

  #read(lines: readonly string[]): void {
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.last_id = field("id") ?? this.last_id;
    const data = field("data");
    if (data !== undefined) this.events.push({ id: field("id"), event: field("event") ?? "", data: JSON.parse(data) });
  }
}
