import { Backoff } from "../client/backoff.ts";
import { HubError } from "../client/index.ts";
import { pauseFor, type Session } from "./channel-session.ts";
import { mailPush } from "./channel-text.ts";
import type { Letter } from "./envelope.ts";

/** Shorter than the client library waits for an answer. */
const WAIT_SECONDS = 25;
const CHANNEL = "channel";
/** Of a body, in bytes: more than a push has room for. */
const BODY_LIMIT = 32 * 1024;

type Polled = { letters: (Letter & { id: string; position: string })[]; ended: string };

/** Which senders' words are pushed; of the others it is only said that there is mail. */
export type Shown = (trust: string) => boolean;

/**
 * Pushes the agent's new mail, and then tells the hub so. Until it knows, it gives out the same again: nothing is lost
 * with an answer, and what was pushed here is not pushed again.
 */
export class MailPusher {
  readonly #session: Session;
  readonly #shown: Shown;
  /** Pushed here, and whether as a whole. */
  readonly #pushed = new Map<string, boolean>();

  constructor(session: Session, shown: Shown) {
    this.#session = session;
    this.#shown = shown;
  }

  /** Whether it was pushed here, and so much of it that the model has seen it all. */
  pushed(id: string): { whole: boolean } | undefined {
    const whole = this.#pushed.get(id);
    return whole === undefined ? undefined : { whole };
  }

  /** Resolves with why nothing more is pushed. */
  async run(): Promise<"over" | "superseded"> {
    const { signal, client } = this.#session;
    const backoff = new Backoff(client.pace);
    while (!signal.aborted) {
      try {
        const { letters, ended } = await this.#poll();
        await this.#pushAll(letters);
        await this.#noteShown(letters);
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
    const { messages, ended } = await this.#session.client.call("mail_poll", {
      wait_seconds: WAIT_SECONDS,
      fresh: true,
      mark: false,
      channel: CHANNEL,
      waiter: CHANNEL,
      bodies: true,
      body_limit: BODY_LIMIT,
    });
    return { letters: messages, ended };
  }

  async #noteShown(letters: Polled["letters"]): Promise<void> {
    const ids = letters.filter((letter) => this.#pushed.has(keyOf(letter))).map(({ id }) => id);
    if (ids.length > 0) await this.#session.client.call("mail_offered", { ids, channel: CHANNEL });
  }

  /** Urgent ones first, then in the order they came. */
  async #pushAll(letters: Polled["letters"]): Promise<void> {
    const rank = ({ priority }: Letter): number => (priority === "urgent" ? 0 : 1);
    const ordered = letters.toSorted((a, b) => rank(a) - rank(b) || Number(a.position) - Number(b.position));
    for (const letter of ordered) {
      const key = keyOf(letter);
      if (this.#session.signal.aborted || this.#pushed.has(key)) continue;
      const push = mailPush(letter, this.#shown(letter.trust));
      await this.#session.push(push);
      const { body, left_out } = letter;
      const whole = body !== undefined && left_out === undefined && push.content.includes(body.trim());
      this.#pushed.set(key, whole).set(letter.id, whole);
    }
  }
}

/** A letter that was snoozed comes again, at another position, and is worth another push. */
const keyOf = ({ id, position }: { id: string; position: string }): string => `${id} ${position}`;
