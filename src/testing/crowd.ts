/** Those who keep talking and reading whatever happens to the hub, and remember what it promised them. */
import { setTimeout as pause } from "node:timers/promises";
import { EventReader } from "./events.ts";

export interface Reply {
  status: number;
  // Each test says what it expects of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
  body: any;
}

export interface Caller {
  /** Asked anew for each call: hubs come back elsewhere, and there may be several. */
  url: () => string;
  token: string;
}

/** Calls a tool over HTTP; undefined when the connection ended without an answer. */
export async function callTool(
  { url, token }: Caller,
  tool: string,
  args: object,
  key?: string,
): Promise<Reply | undefined> {
  try {
    const response = await fetch(`${url()}/api/tools/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...(key !== undefined && { "idempotency-key": key }) },
      body: JSON.stringify(args),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, body: await response.json() };
  } catch (error) {
    // What fetch throws when there is nobody, or nobody any more. A hub that hangs is another matter.
    if (error instanceof Error && error.name === "TimeoutError") throw error;
    return undefined;
  }
}

/** Repeats the call with its key until the outcome is known. */
export async function callUntilKnown(caller: Caller, tool: string, args: object, key?: string): Promise<Reply> {
  for (const deadline = performance.now() + 60_000; ; ) {
    const reply = await callTool(caller, tool, args, key);
    if (reply && reply.status !== 503) return reply;
    if (performance.now() > deadline) throw new Error(`${tool} came to nothing: ${JSON.stringify(reply)}`);
    await pause(20);
  }
}

/** Posts one message after the other, each until it knows what became of it. */
export class Talker {
  /** What was acknowledged, by its content. */
  readonly acked = new Map<string, string>();
  readonly #caller: Caller;
  readonly #name: string;
  #stopped = false;

  constructor(caller: Caller, name: string) {
    this.#caller = caller;
    this.#name = name;
  }

  async run(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const content = `${this.#name} ${n}`;
      const { status, body } = await callUntilKnown(this.#caller, "chat_human_post", { content }, content);
      if (status !== 200) throw new Error(`${content}: ${status} ${JSON.stringify(body)}`);
      this.acked.set(content, body.id);
    }
  }

  stop(): void {
    this.#stopped = true;
  }
}

/** Follows the inbox by `chat_read_since` alone. */
export class Reader {
  readonly seen: { id: string; content: string }[] = [];
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Reads until it has come to the end after `finished` says that nothing more will be written. */
  async run(finished: () => boolean): Promise<void> {
    for (let over = false; !over; ) {
      const last = finished();
      const args = { after_id: this.seen.at(-1)?.id ?? null, limit: 50 };
      const { status, body } = await callUntilKnown(this.#caller, "chat_read_since", args);
      if (status !== 200) throw new Error(`reading on: ${status} ${JSON.stringify(body)}`);
      this.seen.push(...body.messages);
      over = last && !body.has_more;
      if (!body.has_more) await pause(5);
    }
  }
}

/** Follows `/events`, and comes back with `Last-Event-ID` whenever the stream ends. */
export class Follower {
  readonly ids: string[] = [];
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Follows from `after` until it was told of `until()`. */
  async run(after: string, until: () => string | undefined): Promise<void> {
    for (let position = after; ; await pause(20)) {
      const reader = await EventReader.open(this.#caller.url(), this.#caller.token, { after: position }).catch(
        () => undefined,
      );
      if (!reader) continue;
      const over = reader.over.then(() => true);
      for (let ended = false; !ended; ended = await Promise.race([over, pause(20, false)])) {
        this.#take(reader);
        position = this.ids.at(-1) ?? after;
        if (position === until()) {
          await reader[Symbol.asyncDispose]();
          return;
        }
      }
      this.#take(reader);
      position = this.ids.at(-1) ?? after;
    }
  }

  #take(reader: EventReader): void {
    for (const { event, id } of reader.events.splice(0)) {
      if (event === "resync") throw new Error("the hub no longer knows where this reader was");
      if (id !== undefined) this.ids.push(id);
    }
  }
}
