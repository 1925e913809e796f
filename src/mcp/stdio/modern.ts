import { setTimeout as sleep } from "node:timers/promises";
import { type HubHttp, LONGEST_PAUSE_MS, lost, messagesOf, NoAnswer, type Reply } from "./hub-http.ts";
import { isRepeatable, type Message, revisionOf, updated, type Write } from "./message.ts";

const TASK_PATIENCE_MS = 40_000;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

interface Listening {
  message: Message;
  signal: AbortSignal;
  acknowledged: boolean;
  /** Up to where the client was told by name. */
  last_event_id: string | undefined;
}

/** Forwards the era without sessions: each request is a POST of its own. */
export class Modern {
  readonly #http: HubHttp;
  readonly #write: Write;
  readonly #open = new Map<unknown, AbortController>();
  readonly #listening = new Set<AbortController>();

  constructor(http: HubHttp, write: Write) {
    this.#http = http;
    this.#write = write;
  }

  async forward(message: Message): Promise<void> {
    if (message.id === undefined) {
      const reply = await this.#http.reach({ method: "POST", message, headers: headersOf(message) }, true);
      reply.body.resume();
      return;
    }
    const abort = new AbortController();
    this.#open.set(message.id, abort);
    try {
      if (message.method !== "subscriptions/listen") return await this.#ask(message, abort.signal);
      this.#listening.add(abort);
      await this.#listen(message, abort.signal);
    } catch (error) {
      // Who cancelled it waits for no answer.
      if (!abort.signal.aborted) throw error;
    } finally {
      this.#open.delete(message.id);
      this.#listening.delete(abort);
    }
  }

  /** False if it is none of these requests. */
  cancel(id: unknown): boolean {
    const abort = this.#open.get(id);
    abort?.abort();
    return abort !== undefined;
  }

  /** Ends the listening, which would go on for ever. */
  stop(): void {
    for (const abort of this.#listening) abort.abort();
  }

  async #ask(message: Message, signal: AbortSignal): Promise<void> {
    let answered = false;
    for await (const answer of messagesOf(await this.#post(message, signal))) {
      answered ||= answer.method === undefined;
      await this.#write(answer);
    }
    if (!answered) throw lost();
  }

  #post(message: Message, signal: AbortSignal, last_event_id?: string): Promise<Reply> {
    // A task outlives the hub: whoever asks for it is not told that it cannot be reached before it has had time to come back.
    const patience_ms = message.method === "tasks/get" ? TASK_PATIENCE_MS : undefined;
    const last = last_event_id === undefined ? {} : { "Last-Event-ID": last_event_id };
    const headers = { ...headersOf(message), ...last };
    const sending = { method: "POST", message, signal, headers, patience_ms } as const;
    return this.#http.reach(sending, isRepeatable(message));
  }

  /** Listens on when the hub went away and came back: the client asked once and is told for as long as it is there. */
  async #listen(message: Message, signal: AbortSignal): Promise<void> {
    const listening: Listening = { message, signal, acknowledged: false, last_event_id: undefined };
    for (let pause = 100; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        if (await this.#listenOnce(listening)) return;
        pause = 100;
      } catch (error) {
        const gone = error instanceof NoAnswer && (error.unsent || error.lost);
        if (!gone || !listening.acknowledged) throw error;
      }
      await sleep(pause, undefined, { signal });
    }
  }

  /** True when the hub has said its last word; false when it only went away. */
  async #listenOnce(listening: Listening): Promise<boolean> {
    const { message, signal, last_event_id } = listening;
    let honoured = false;
    const passed = (event_id: string): void => {
      listening.last_event_id = event_id;
    };
    for await (const answer of messagesOf(await this.#post(message, signal, last_event_id), passed)) {
      if (answer.method === "notifications/subscriptions/acknowledged") {
        const filter = answer.params?.notifications ?? {};
        honoured = Object.keys(filter).length > 0;
        listening.last_event_id ??= filter["parley/scratchpad"]?.position;
        if (!listening.acknowledged) await this.#write(answer);
        // Something may have happened meanwhile: a hint costs a read, a missed one costs the message.
        else
          for (const uri of filter.resourceSubscriptions ?? [])
            await this.#write(updated(uri, { [SUBSCRIPTION]: message.id }));
        listening.acknowledged = true;
      } else if (answer.method !== undefined) await this.#write(answer);
      else if (honoured && answer.error === undefined) return false;
      else {
        await this.#write(answer);
        return true;
      }
    }
    if (!listening.acknowledged) throw lost();
    return false;
  }
}

/** What the transport wants repeated in headers. */
function headersOf(message: Message): Record<string, string> {
  const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId;
  return {
    "MCP-Protocol-Version": revisionOf(message) ?? "",
    "Mcp-Method": message.method ?? "",
    ...(typeof name === "string" && { "Mcp-Name": headerValue(name) }),
  };
}

/** A header holds plain ASCII; the specification says how to put anything else. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return plain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
