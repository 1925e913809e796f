interface SseEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Makes events of a stream's pieces, as the HTML standard reads them; comments and empty ones are left out. */
export class EventParser {
  readonly #tell: (event: SseEvent) => void;
  #lines: string[] = [];
  // Joined only at the end of a line: a message of a megabyte comes in many pieces.
  #pieces: string[] = [];
  #afterReturn = false;

  constructor(tell: (event: SseEvent) => void) {
    this.#tell = tell;
  }

  push(chunk: string): void {
    if (chunk === "") return;
    // "\r\n" may be cut in two: the second half ends no second line.
    const text = this.#afterReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    this.#afterReturn = chunk.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\n|\r/);
    this.#pieces.push(first);
    for (const next of rest) {
      const line = this.#pieces.join("");
      this.#pieces = next === "" ? [] : [next];
      this.#end(line);
    }
  }

  #end(line: string): void {
    if (line !== "") {
      this.#lines.push(line);
      return;
    }
    const event = parseEvent(this.#lines);
    this.#lines = [];
    if (event) this.#tell(event);
  }
}

/** The events of a body, each as soon as the bytes of it are there. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder();
  const events: SseEvent[] = [];
  const parser = new EventParser((event) => events.push(event));
  for await (const chunk of body) {
    parser.push(decoder.decode(chunk, { stream: true }));
    for (const event of events.splice(0)) yield event;
  }
}

function parseEvent(lines: readonly string[]): SseEvent | undefined {
  const data: string[] = [];
  let id: string | undefined;
  let event = "message";
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id") id = value;
  }
  return data.length > 0 ? { id, event, data: data.join("\n") } : undefined;
}
