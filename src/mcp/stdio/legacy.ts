import { setTimeout as sleep } from "node:timers/promises";
import { Followed } from "./followed.ts";
import { type HubHttp, LONGEST_PAUSE_MS, lost, messagesOf, NoAnswer, type Reply } from "./hub-http.ts";
import { isRepeatable, isRequest, type Message, resync, updated, type Write } from "./message.ts";

/** How the hub says that it does not know a session (any more). */
const NO_SESSION = -32001;

interface Session {
  id: string;
  version: string;
  /** Ends its stream. */
  stream: AbortController;
}

/**
 * Forwards the revisions up to 2025-11-25. The client has one session for as long as it lives; behind it there
 * is one of the hub's after the other, because a hub that was restarted knows none.
 */
export class Legacy {
  readonly #http: HubHttp;
  readonly #write: Write;
  readonly #subscribed = new Set<string>();
  readonly #followed = new Followed();
  /** Of the last notification that had a position: from there the hub goes on. */
  #last_event_id: string | undefined;
  #initialize: Message | undefined;
  #session: Session | undefined;
  #renewing: Promise<void> | undefined;
  #renewals = 0;

  constructor(http: HubHttp, write: Write) {
    this.#http = http;
    this.#write = write;
  }

  async forward(message: Message): Promise<void> {
    if (message.method === "initialize") await this.#start(message);
    else await this.#exchange(message);
    if (message.method === "notifications/initialized" && this.#session) void this.#stream(this.#session);
  }

  /** Says goodbye, so that the hub need not wait for the session to grow old. */
  async stop(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (!session) return;
    session.stream.abort();
    try {
      const reply = await this.#http.send({ method: "DELETE", headers: headersOf(session) });
      reply.body.resume();
    } catch (error) {
      // A hub that is gone has forgotten it already.
      if (!(error instanceof NoAnswer)) throw error;
    }
  }

  async #start(message: Message): Promise<void> {
    const { session, answer } = await this.#open(message);
    this.#initialize = message;
    this.#session = session;
    await this.#write(answer);
  }

  async #open(message: Message): Promise<{ session: Session | undefined; answer: Message }> {
    const reply = await this.#http.reach({ method: "POST", message }, true);
    const id = reply.headers["mcp-session-id"];
    for await (const answer of messagesOf(reply)) {
      const version = answer.result?.protocolVersion;
      const known = typeof id === "string" && typeof version === "string";
      return { session: known ? { id, version, stream: new AbortController() } : undefined, answer };
    }
    throw lost();
  }

  async #exchange(message: Message): Promise<void> {
    let answered = !isRequest(message);
    for await (const answer of this.#ask(message)) {
      answered ||= answer.method === undefined;
      this.#note(message, answer);
      await this.#write(answer);
    }
    if (!answered) throw lost();
  }

  /** Sends it in the hub's session, and in a new one if that is no more. */
  async *#ask(message: Message): AsyncGenerator<Message> {
    const session = this.#session;
    for await (const answer of messagesOf(await this.#post(message, session))) {
      if (session && answer.error?.code === NO_SESSION) {
        await this.#renew(session);
        yield* messagesOf(await this.#post(message, this.#session));
        return;
      }
      yield answer;
    }
  }

  #post(message: Message, session: Session | undefined): Promise<Reply> {
    const headers = session ? headersOf(session) : {};
    return this.#http.reach(
      { method: "POST", message: this.#followed.translated(message), headers },
      isRepeatable(message),
    );
  }

  /** What is followed has to be followed again in the next session. */
  #note(message: Message, answer: Message): void {
    const uri = message.params?.uri;
    this.#followed.note(message, answer);
    if (answer.result === undefined || typeof uri !== "string") return;
    if (message.method === "resources/subscribe") this.#subscribed.add(uri);
    if (message.method === "resources/unsubscribe") this.#subscribed.delete(uri);
  }

  /** However many requests find out at once, there is one new session. */
  async #renew(stale: Session): Promise<void> {
    if (this.#session === stale)
      this.#renewing ??= this.#begin(stale).finally(() => {
        this.#renewing = undefined;
      });
    await this.#renewing;
  }

  async #begin(stale: Session): Promise<void> {
    if (!this.#initialize) return;
    const { session } = await this.#open({ ...this.#initialize, id: this.#nextId() });
    if (!session) throw new NoAnswer("HUB_UNREACHABLE", "The Parley hub was restarted and opens no new session.");
    await this.#tellHub({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    for (const uri of this.#subscribed)
      await this.#tellHub(
        { jsonrpc: "2.0", id: this.#nextId(), method: "resources/subscribe", params: { uri } },
        session,
      );
    await this.#followed.renew(async (message) => {
      const sent = {
        method: "POST",
        message: { ...message, id: this.#nextId() },
        headers: headersOf(session),
      } as const;
      for await (const answer of messagesOf(await this.#http.reach(sent, true))) return answer;
      return undefined;
    });
    // Only now that all is in place: if anything failed, the old one is found stale once more and all is tried again.
    this.#session = session;
    stale.stream.abort();
    void this.#stream(session);
    // Something may have happened while nobody followed it.
    for (const uri of this.#subscribed) await this.#write(updated(uri));
    if (this.#followed.size > 0 && this.#last_event_id === undefined) await this.#write(resync("HUB_RESTARTED"));
  }

  async #tellHub(message: Message, session: Session): Promise<void> {
    const reply = await this.#http.reach({ method: "POST", message, headers: headersOf(session) }, true);
    reply.body.resume();
  }

  #nextId(): string {
    this.#renewals += 1;
    return `parley-renewal-${this.#renewals}`;
  }

  /** Passes on what the hub says unasked, for as long as this is the session. */
  async #stream(session: Session): Promise<void> {
    const { signal } = session.stream;
    for (let pause = 100; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS))
      try {
        const last = this.#last_event_id === undefined ? {} : { "Last-Event-ID": this.#last_event_id };
        const reply = await this.#http.send({ method: "GET", headers: { ...headersOf(session), ...last }, signal });
        if (reply.status === 200) pause = 100;
        const passed = (event_id: string): void => {
          this.#last_event_id = event_id;
        };
        for await (const message of messagesOf(reply, passed)) {
          if (message.error?.code === NO_SESSION) return await this.#renew(session);
          if (message.method !== undefined) await this.#write(message);
        }
        await sleep(pause, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        // A hub that is away comes back; if it does not, the client's next request is told so.
        if (!(error instanceof NoAnswer)) throw error;
        await sleep(pause);
      }
  }
}

const headersOf = ({ id, version }: Session): Record<string, string> => ({
  "Mcp-Session-Id": id,
  "MCP-Protocol-Version": version,
});
