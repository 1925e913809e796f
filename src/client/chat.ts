import type { ToolTypes } from "../modules/index.ts";
import { Backoff, Pause } from "./backoff.ts";
import type { Client } from "./client.ts";
import { guarded, HubError, hubErrorOf } from "./errors.ts";

type Page = ToolTypes["chat_read_since"]["output"];
export type Message = Page["messages"][number];

export interface ChatOptions {
  /** Whose chat; the default agent's if left out. */
  agent?: string | undefined;
  /** Begin after this message; with null at the first one kept. Left out: with the newest ones. */
  after?: string | null | undefined;
  /** How many of the newest. */
  newest?: number;
  /** The newest ones, where they are being read already: following goes on from there, and tells of what comes after. */
  from?: Promise<Page | undefined>;
  /** Whether what comes is read by a person as it comes: then it is marked so with the same request, up to `done`. */
  marks?: { wanted: () => boolean; done: (id: string) => void };
  /**
   * What comes next, in order, each message once. The first call has `reset`, even with nothing in it, and so has one
   * after which everything given before is void: the hub was restored from a backup, or has forgotten that far, or
   * without a name another agent is the default one now.
   * Waited for before the next one.
   */
  messages: (messages: Message[], about: { reset: boolean; has_earlier: boolean }) => void | Promise<void>;
  /** Why nothing comes just now, and undefined when it does again. After one that is not `passing` nothing comes any more. */
  error?: (error: HubError | undefined) => void;
}

const NEWEST = 50;
const PAGE = 200;
/** Positions that the hub cannot go on from. */
const LOST = ["WATERMARK_EXPIRED", "WATERMARK_INVALID"];

/** Follows a chat, both authors, through whatever happens to the hub. Returns the way to stop. */
export function followChat(client: Client, options: ChatOptions): () => void {
  const follower = new ChatFollower(client, options);
  return () => follower.stop();
}

const messagesUri = (agent: string | undefined): string =>
  agent === undefined ? "ui://chat/messages" : `ui://chat/${encodeURIComponent(agent)}/messages`;

class ChatFollower {
  readonly #client: Client;
  readonly #options: ChatOptions;
  readonly #pause = new Pause();
  readonly #backoff: Backoff;
  readonly #unwatch: () => void;
  /** Where the next page begins, once there was a first one. */
  #position: { after_id: string | null; epoch: string } | undefined;
  /** The last message that was handed over. */
  #told_id: string | undefined;
  /** It may be another chat than at the last read: the hub was out of sight, or the default agent may be another. */
  #anew = false;
  #reading = false;
  #again = false;
  #stopped = false;
  #failed = false;

  constructor(client: Client, options: ChatOptions) {
    this.#client = client;
    this.#options = options;
    this.#backoff = new Backoff(client.pace);
    this.#unwatch = client.watch(messagesUri(options.agent), (error, anew) => {
      this.#anew ||= anew === true || options.agent === undefined;
      if (error) this.#fail(error);
      else void this.#readOn();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#unwatch();
    this.#pause.end();
  }

  /** Hints only say that there may be something; from the own position on each message is read once. */
  async #readOn(): Promise<void> {
    this.#again = true;
    this.#pause.end();
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#catchUp();
        this.#backoff.reset();
        this.#recover();
      } catch (error) {
        const known = hubErrorOf(error);
        this.#fail(known);
        if (!known.passing) break;
        this.#again = true;
        await this.#pause.for(this.#backoff.next());
      }
    }
    this.#reading = false;
  }

  async #catchUp(): Promise<void> {
    for (let more = true; more && !this.#stopped; ) {
      const { page, reset } = await this.#next();
      if (this.#stopped) return;
      // The newest ones are the last ones: what is more lies before them.
      const backwards = reset && this.#fromNewest;
      more = !backwards && page.has_more;
      this.#position = { after_id: page.last_id, epoch: page.epoch };
      if (!reset && page.messages.length === 0) continue;
      this.#told_id = page.messages.at(-1)?.id ?? (reset ? undefined : this.#told_id);
      await this.#tell(page.messages, { reset, has_earlier: backwards && page.has_more });
    }
  }

  async #tell(messages: Message[], about: { reset: boolean; has_earlier: boolean }): Promise<void> {
    try {
      await this.#options.messages(messages, about);
    } catch (error) {
      this.#client.report(error);
    }
  }

  async #next(): Promise<{ page: Page; reset: boolean }> {
    const from = this.#position ?? (await this.#begun());
    const anew = this.#anew;
    this.#anew = false;
    if (!from) return { page: await this.#first(this.#options.after), reset: true };
    try {
      const page = await this.#after(from.after_id, anew);
      if (page?.epoch === from.epoch) return { page, reset: false };
    } catch (error) {
      this.#anew ||= anew;
      if (!(error instanceof HubError && LOST.includes(error.code))) throw error;
    }
    // The position is nobody's any more, nor is the one that the caller once gave.
    return { page: await this.#first(this.#options.after === undefined ? undefined : null), reset: true };
  }

  /** Where whoever follows has read to already. */
  async #begun(): Promise<{ after_id: string | null; epoch: string } | undefined> {
    const page = await this.#options.from;
    if (!page) return undefined;
    this.#told_id = page.messages.at(-1)?.id;
    return { after_id: page.last_id, epoch: page.epoch };
  }

  /**
   * What comes after the position, or undefined when that is void. A hub that was put back to an earlier copy and has
   * written on since takes any position for its own, and so does another agent's chat: what we had last is read once
   * more, and has to be there.
   */
  async #after(after_id: string | null, anew: boolean): Promise<Page | undefined> {
    if (!anew || after_id === null || after_id !== this.#told_id) return this.#since(after_id);
    const page = await this.#since(String(Number(after_id) - 1));
    const [last, ...messages] = page.messages;
    return last?.id === after_id ? { ...page, messages } : undefined;
  }

  #first(after: string | null | undefined): Promise<Page> {
    if (after !== undefined) return this.#since(after);
    return this.#client.call("chat_read_before", { limit: Math.max(1, this.#newest), ...this.#agent }).then((page) => ({
      ...page,
      messages: this.#newest === 0 ? [] : page.messages,
    }));
  }

  async #since(after_id: string | null): Promise<Page> {
    const { marks } = this.#options;
    const input = { limit: PAGE, ...this.#agent };
    if (after_id === null || !marks?.wanted()) return this.#client.call("chat_read_since", { after_id, ...input });
    const page = await this.#client.call("chat_read_and_advance", { after_id, ...input });
    if (page.last_id !== null) marks.done(page.last_id);
    return page;
  }

  get #fromNewest(): boolean {
    return this.#options.after === undefined;
  }

  get #newest(): number {
    return this.#options.newest ?? NEWEST;
  }

  get #agent(): { agent?: string } {
    const { agent } = this.#options;
    return agent === undefined ? {} : { agent };
  }

  #fail(error: HubError): void {
    if (this.#stopped) return;
    this.#failed = true;
    this.#say(error);
    if (!error.passing) this.stop();
  }

  #recover(): void {
    if (!this.#failed) return;
    this.#failed = false;
    this.#say(undefined);
  }

  #say(error: HubError | undefined): void {
    guarded(this.#client.report)(() => this.#options.error?.(error));
  }
}
