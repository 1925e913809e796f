import { followChat, type Message } from "../../client/index.ts";
import { ChannelMark } from "./mark.ts";
import type { Session } from "./session.ts";
import { chatPush, statusPush } from "./text.ts";

/** How far back to look for what waits for an answer, where nobody knows how far the chat was pushed. */
const RECENT = 100;
/** So many of them are pushed: what is older the agent can look up, and nobody waits for an answer to ninety. */
const NEWEST = 5;

/**
 * Pushes what people say to the agent: each message once, also across restarts of the hub, and of a session that heard it.
 * Where it is not known how far it came, what the agent has not answered yet.
 */
export class ChatPusher {
  readonly #session: Session;
  #mark: ChannelMark | undefined;
  /** The last message pushed. */
  #last: string | undefined;
  #complained = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Resolves when the session is over. Throws what ends it. */
  async run(): Promise<void> {
    const mark = await this.#findMark();
    void this.#session.listener.proof.then(() => this.#keep());
    const after = mark.read();
    // The hub may have forgotten that far. Then it is as if nobody had ever known.
    if ((await this.#follow(after)) === "lost") await this.#follow(undefined);
  }

  #follow(after: string | undefined): Promise<"over" | "lost"> {
    const { client, signal } = this.#session;
    const over = Promise.withResolvers<"over" | "lost">();
    let known = after !== undefined;
    let begun = false;
    const stop = followChat(client, {
      ...(after === undefined ? { newest: RECENT } : { after }),
      messages: async (messages, { reset }) => {
        try {
          if (reset && begun) await this.#findMark();
          await (reset && !known ? this.#pushNewest(unanswered(messages)) : this.#push(messages));
          begun = true;
          known = false;
        } catch (error) {
          over.reject(error);
        }
      },
      error: (error) => {
        if (!error || error.passing) return;
        if (!begun && known && error.code.startsWith("WATERMARK")) over.resolve("lost");
        else over.reject(error);
      },
    });
    signal.addEventListener("abort", () => over.resolve("over"), { once: true });
    if (signal.aborted) over.resolve("over");
    return over.promise.finally(stop);
  }

  async #pushNewest(messages: readonly Message[]): Promise<void> {
    const fromPeople = messages.filter(({ author }) => author === "user");
    const earlier = fromPeople.length - NEWEST;
    if (earlier > 0)
      await this.#session.push(
        statusPush(`Of what people said before, ${earlier} more are not shown here. chat_read_before reads them.`),
      );
    await this.#push(messages.slice(earlier > 0 ? messages.indexOf(fromPeople[earlier] as Message) : 0));
  }

  async #push(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (this.#session.signal.aborted) return;
      const { push, listener } = this.#session;
      if (message.author === "user") await push(chatPush(message, listener.secret));
      // Behind the push: what is lost in between would be lost for good, and twice is better than never.
      this.#last = message.id;
      if (listener.heard) this.#keep();
    }
  }

  /** Without it the next session is told a few things twice, which is no reason to tell this one nothing. */
  #keep(): void {
    try {
      if (this.#last !== undefined) this.#mark?.write(this.#last);
    } catch (error) {
      if (!this.#complained) this.#session.note(`How far the chat was pushed cannot be kept: ${String(error)}`);
      this.#complained = true;
    }
  }

  async #findMark(): Promise<ChannelMark> {
    const { client, persist, place } = this.#session;
    const { epoch } = await persist(() => client.call("chat_read_before", { limit: 1 }));
    this.#mark = new ChannelMark({ ...place, epoch });
    this.#last = undefined;
    return this.#mark;
  }
}

/** What came after the last thing the agent said itself. */
const unanswered = (messages: Message[]): Message[] =>
  messages.slice(messages.findLastIndex(({ author }) => author === "assistant") + 1);
