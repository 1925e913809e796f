/** A network that does to a client whatever a network may do. */
import type { HttpRequest, HttpResponse, Transport } from "../client/index.ts";

export type Fate =
  /** As it should be. */
  | "fine"
  /** The request never arrives; a hint is lost. */
  | "lost"
  /** It arrives, but its answer does not; a hint comes twice. */
  | "doubled"
  /** The answer is cut in the middle; so is the stream. */
  | "cut"
  /** The answer is not what it should be; a hint waits until after the next one. */
  | "garbled";

export const FATES: readonly Fate[] = ["fine", "lost", "doubled", "cut", "garbled"];

const HINT = "notifications/resources/updated";

export class FaultyTransport {
  /** Asked once for each request and once for each hint. */
  fate: () => Fate = () => "fine";
  readonly requests: { method: string; status: number | undefined }[] = [];
  readonly #inner: Transport;
  readonly #streams = new Set<AbortController>();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  readonly transport: Transport = async (request) => {
    const method = request.headers["mcp-method"] ?? "";
    const noted: { method: string; status: number | undefined } = { method, status: undefined };
    this.requests.push(noted);
    const listening = method === "subscriptions/listen";
    const fate = this.fate();
    if (fate === "lost") throw new Error("the request was lost");
    const response = await (listening ? this.#stream(request) : this.#inner(request));
    noted.status = response.status;
    if (listening || fate === "fine") return response;
    const text = await textOf(response);
    if (fate === "doubled") throw new Error("the answer was lost");
    if (fate === "cut") return { ...response, body: brokenAfter(text.slice(0, text.length / 2)) };
    return { ...response, status: 200, body: async (take) => take(garbage(text)) };
  };

  /** Ends every open stream, as a proxy does that is restarted. */
  cut(): void {
    for (const stream of this.#streams) stream.abort();
  }

  async #stream(request: HttpRequest): Promise<HttpResponse> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    request.signal?.addEventListener("abort", end, { once: true });
    this.#streams.add(controller);
    const response = await this.#inner({ ...request, signal: controller.signal }).catch((error: unknown) => {
      this.#streams.delete(controller);
      throw error;
    });
    return { ...response, body: (take) => this.#disturbed(response, controller, take) };
  }

  async #disturbed(response: HttpResponse, controller: AbortController, take: (text: string) => void): Promise<void> {
    let rest = "";
    let held = "";
    try {
      await response.body((chunk) => {
        const frames = (rest + chunk).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames.map((text) => `${text}\n\n`)) {
          const fate = frame.includes(HINT) ? this.fate() : "fine";
          if (fate === "cut") throw new Error("the stream was cut");
          if (fate === "garbled") {
            held += frame;
            continue;
          }
          if (fate !== "lost") take(frame + (fate === "doubled" ? frame : "") + held);
          held = "";
        }
      });
      take(rest);
    } finally {
      this.#streams.delete(controller);
      controller.abort();
    }
  }
}

async function textOf({ body }: HttpResponse): Promise<string> {
  let text = "";
  await body((piece) => {
    text += piece;
  });
  return text;
}

const brokenAfter =
  (text: string): HttpResponse["body"] =>
  async (take) => {
    take(text);
    throw new Error("the connection was cut");
  };

/** Valid JSON-RPC whose result has lost its shape, or no JSON at all. */
function garbage(text: string): string {
  if (text.length % 2 === 0) return "<html>Bad gateway</html>";
  const { id } = JSON.parse(text);
  return JSON.stringify({ jsonrpc: "2.0", id, result: { contents: [{ uri: 1 }], content: "none" } });
}
