import { Backoff } from "../client/backoff.ts";
import { HubError } from "../client/index.ts";
import { pauseFor, type Session } from "./channel-session.ts";
import { mailPush } from "./channel-text.ts";
import type { Letter } from "./envelope.ts";

/** Shorter than the client library waits for an answer. */
const WAIT_SECONDS = 25;
const CHANNEL = "channel";

type Polled = { letters: (Letter & { id: string; position: string })[]; ended: string };

/** Which senders' words are pushed; of the others it is only said that there is mail. */
export type Shown = (trust: string) => boolean;

/**
 * Pushes the agent's new mail. The hub notes what it gave out as offered and does not give it out again, so an answer
 * that was lost on the way is looked for in the inbox.
 */
export class MailPusher {
  readonly #session: Session;
  readonly #shown: Shown;
  /** Pushed here, and whether as a whole. */
  readonly #pushed = new Map<string, boolean>();
  /** Everything up to here was pushed, or known of before. */
  #position = 0;

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
    const { signal, persist, client } = this.#session;
    const [newest] = (await persist(() => client.call("mail_inbox", { limit: 1 }))).messages;
    this.#position = Number(newest?.position ?? 0);
    const backoff = new Backoff(client.pace);
    for (let doubtful = false; !signal.aborted; ) {
      try {
        if (doubtful) await this.#lookForLost();
        doubtful = false;
        const { letters, ended } = await this.#poll(WAIT_SECONDS);
        await this.#pushAll(letters);
        if (ended === "superseded") return "superseded";
        if (ended !== "stopping") backoff.reset();
        else await pauseFor(backoff.next(), signal);
      } catch (error) {
        if (!(error instanceof HubError && error.passing)) throw error;
        doubtful = true;
        await pauseFor(backoff.next(), signal);
      }
    }
    return "over";
  }

  async #poll(wait_seconds: number): Promise<Polled> {
    const { messages, ended } = await this.#session.client.call("mail_poll", {
      wait_seconds,
      fresh: true,
      channel: CHANNEL,
      waiter: CHANNEL,
      bodies: true,
    });
    return { letters: messages, ended };
  }

  /** What a poll gave out whose answer never came: newer than all that is known, and no longer given out. */
  async #lookForLost(): Promise<void> {
    const { client } = this.#session;
    const before = this.#position;
    await this.#pushAll((await this.#poll(0)).letters);
    const { messages } = await client.call("mail_inbox", { unread: true, limit: 100 });
    await this.#pushAll(messages.filter(({ position }) => Number(position) > before));
  }

  /** Urgent ones first, then in the order they came. */
  async #pushAll(letters: Polled["letters"]): Promise<void> {
    const rank = ({ priority }: Letter): number => (priority === "urgent" ? 0 : 1);
    const ordered = letters.toSorted((a, b) => rank(a) - rank(b) || Number(a.position) - Number(b.position));
    for (const letter of ordered) {
      // A letter that was snoozed comes again, at another position, and is worth another push.
      const key = `${letter.id} ${letter.position}`;
      if (this.#session.signal.aborted || this.#pushed.has(key)) continue;
      const push = mailPush(letter, this.#shown(letter.trust));
      await this.#session.push(push);
      const whole = letter.body !== undefined && push.content.includes(letter.body.trim());
      this.#pushed.set(key, whole).set(letter.id, whole);
      this.#position = Math.max(this.#position, Number(letter.position));
    }
  }
}
