import { randomUUID } from "node:crypto";
import { Backoff } from "../../client/backoff.ts";
import { HubError } from "../../client/index.ts";
import type { Letter } from "../core/envelope.ts";
import { pauseFor, type Session } from "./session.ts";
import { mailPush } from "./text.ts";

/** Shorter than the client library waits for an answer. */
const WAIT_SECONDS = 25;
const CHANNEL = "channel";
/** Before every position there is. */
const FIRST = "1";
/** As many as the hub takes at a time. */
const MOST_NOTED = 100;
/** Of a body, in bytes: more than a push has room for. */
const BODY_LIMIT = 32 * 1024;

type Polled = { letters: (Letter & { id: string; position: string })[]; ended: string };

/** Which senders' words are pushed; of the others it is only said that there is mail. */
export type Shown = (trust: string) => boolean;

interface Pushed {
  /** False for one that the model was only told of. */
  shown: boolean;
  /** All of its text. */
  whole: boolean;
}

/**
 * Pushes the agent's new mail, each letter once, and tells the hub so when it is known that somebody hears. Until then it
 * stays new for the hooks and for the next session, and a channel that is heard keeps its place.
 */
export class MailPusher {
  readonly #session: Session;
  readonly #shown: Shown;
  readonly #pushed = new Map<string, Pushed>();
  /** Shown, and the hub does not know yet. */
  readonly #unnoted = new Set<string>();
  /** For the hub: another session that is heard has the place for good, also if it comes while we are between two polls. */
  readonly #id = randomUUID();
  #after = FIRST;

  constructor(session: Session, shown: Shown) {
    this.#session = session;
    this.#shown = shown;
  }

  /** What of it was pushed here, if anything was. */
  pushed(id: string): Pushed | undefined {
    return this.#pushed.get(id);
  }

  /** Resolves with why nothing more is pushed. */
  async run(): Promise<"over" | "superseded"> {
    const { signal, client, listener } = this.#session;
    const backoff = new Backoff(client.pace);
    // What fails now is tried again below.
    void listener.proof.then(() => this.#note()).catch(() => {});
    while (!signal.aborted) {
      try {
        await this.#note();
        // Once it is heard it asks anew, for its place.
        const polled = await (listener.heard ? this.#poll() : Promise.race([this.#poll(), listener.proof]));
        if (!polled) continue;
        const { letters, ended } = polled;
        await this.#pushAll(letters);
        await this.#note();
        if (ended === "superseded") return "superseded";
        if (ended !== "stopping") backoff.reset();
        else await pauseFor(backoff.next(), signal);
      } catch (error) {
        if (!(error instanceof HubError && error.passing)) throw error;
        await pauseFor(backoff.next(), signal);
      }
    }
    return "over";
  }

  async #poll(): Promise<Polled> {
    const { client, listener } = this.#session;
    const { messages, ended } = await client.call("mail_poll", {
      wait_seconds: WAIT_SECONDS,
      fresh: true,
      mark: false,
      after: this.#after,
      channel: CHANNEL,
      // One that nobody hears, as of `claude mcp list`, must not silence one that somebody does.
      ...(listener.heard && { waiter: CHANNEL, waiter_id: this.#id }),
      bodies: true,
      body_limit: BODY_LIMIT,
    });
    return { letters: messages, ended };
  }

  async #note(): Promise<void> {
    if (!this.#session.listener.heard || this.#unnoted.size === 0) return;
    const ids = [...this.#unnoted].slice(0, MOST_NOTED);
    for (const id of ids) this.#unnoted.delete(id);
    try {
      await this.#session.client.call("mail_offered", { ids, channel: CHANNEL });
    } catch (error) {
      for (const id of ids) this.#unnoted.add(id);
      throw error;
    }
    await this.#note();
  }

  /** Urgent ones first, then in the order they came. */
  async #pushAll(letters: Polled["letters"]): Promise<void> {
    const rank = ({ priority }: Letter): number => (priority === "urgent" ? 0 : 1);
    for (const letter of letters.toSorted((a, b) => rank(a) - rank(b))) {
      if (this.#session.signal.aborted) return;
      await this.#push(letter);
    }
    this.#after = letters.at(-1)?.position ?? this.#after;
  }

  async #push(letter: Polled["letters"][number]): Promise<void> {
    const { push, listener } = this.#session;
    const shown = this.#shown(letter.trust);
    const pushed = mailPush(letter, { shown, secret: listener.secret });
    await push(pushed);
    const { id, body, left_out } = letter;
    const whole = body !== undefined && left_out === undefined && pushed.content.includes(body.trim());
    this.#pushed.set(id, { shown, whole });
    if (shown) this.#unnoted.add(id);
  }
}
