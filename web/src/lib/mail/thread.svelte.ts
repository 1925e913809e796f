import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { Live } from "#lib/live/live.ts";
import { HubError } from "$client/index.ts";
import { inboxUri } from "./address.ts";
import type { Mailbox } from "./mailbox.svelte.ts";
import type { Letter, Status, Thread } from "./types.ts";

const PAGE = 30;
const MOST_PAGE = 100;
/** So many pages are read to find the mail that a link names. */
const MOST_BACK = 20;
/** Of how many of the last mails that were sent from here it is asked how far they came. */
const MOST_STATUSES = 10;

/** The thread that is open, as its mailbox sees it. */
export class OpenThread {
  readonly id: string;
  head = $state.raw<Omit<Thread, "messages" | "has_more">>();
  letters = $state.raw<readonly Letter[]>([]);
  has_earlier = $state(false);
  problem = $state<string>();
  /** The first that was unread when it was opened. */
  new_id = $state<string>();
  /** How far what was sent from here came, by its id. */
  statuses = $state.raw<ReadonlyMap<string, Status>>(new Map());
  #live: Live | undefined;
  /** Once each: what is marked unread while it is open stays unread. */
  readonly #seen = new Set<string>();
  readonly #hub: Hub;
  readonly #mailbox: Mailbox;

  constructor(hub: Hub, mailbox: Mailbox, id: string) {
    this.#hub = hub;
    this.#mailbox = mailbox;
    this.id = id;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const fail = (sentence: string): void => {
      this.problem = sentence;
    };
    const live = new Live(this.#hub, { uris: [inboxUri(this.#mailbox.name)], read: () => this.#read(), fail });
    this.#live = live;
    const look = (): void => this.#see();
    document.addEventListener("visibilitychange", look);
    return () => {
      live.stop();
      document.removeEventListener("visibilitychange", look);
    };
  }

  refresh(): void {
    this.problem = undefined;
    void this.#live?.refresh();
  }

  /** Reads back to a mail that may be far up. */
  async reach(id: string): Promise<void> {
    const isFurther = (): boolean => this.has_earlier && Number(this.letters[0]?.id) > Number(id);
    for (let page = 0; page < MOST_BACK && isFurther() && !this.problem; page += 1) await this.loadEarlier(MOST_PAGE);
  }

  async loadEarlier(limit = PAGE): Promise<void> {
    const [first] = this.letters;
    if (!first) return;
    try {
      const page = await this.#page({ limit, before: first.id });
      if (this.letters[0] !== first) return;
      this.letters = [...page.messages, ...this.letters];
      this.has_earlier = page.has_more;
      this.#see();
    } catch (error) {
      this.problem = sentenceOf(error);
    }
  }

  async #read(): Promise<void> {
    const { messages, has_more, ...head } = await this.#page({ limit: PAGE });
    const [first] = messages;
    // Where so much came that it does not go on from what was there, what was there is read again when it is asked for.
    const joins = messages.some(({ id }) => id === this.letters.at(-1)?.id);
    const earlier = joins ? this.letters.filter(({ id }) => first && Number(id) < Number(first.id)) : [];
    if (this.head === undefined) this.new_id = messages.find(isUnread)?.id;
    this.head = head;
    this.letters = [...earlier, ...messages];
    if (earlier.length === 0) this.has_earlier = has_more;
    this.problem = undefined;
    this.#see();
    await this.#readStatuses();
  }

  /** Only one's own copies are marked, and only when somebody looks. */
  #see(): void {
    if (!this.#mailbox.own || document.visibilityState !== "visible") return;
    const unread = this.letters.filter((letter) => isUnread(letter) && !this.#seen.has(letter.id));
    for (const { id } of unread) this.#seen.add(id);
    if (unread.length === 0) return;
    this.#mailbox.act(unread, "read").catch(() => {
      // Not marked: it is shown as unread, and tried again with the next look.
      for (const { id } of unread) this.#seen.delete(id);
    });
  }

  async #readStatuses(): Promise<void> {
    const sent = this.letters.filter(({ from }) => from === this.#mailbox.name).slice(-MOST_STATUSES);
    const statuses = await Promise.all(sent.map(({ id }) => this.#readStatus(id)));
    this.statuses = new Map(statuses.filter((status) => status !== undefined).map((status) => [status.id, status]));
  }

  /** A thread is worth reading without knowing how far each mail of it came. */
  async #readStatus(id: string): Promise<Status | undefined> {
    try {
      return await this.#hub.client.call("mail_status", { id });
    } catch (error) {
      if (error instanceof HubError && !error.passing) return undefined;
      throw error;
    }
  }

  #page(part: { limit: number; before?: string }): Promise<Thread> {
    const agent = this.#mailbox.own ? {} : { agent: this.#mailbox.name };
    return this.#hub.client.call("mail_thread", { id: this.id, ...part, ...agent });
  }
}

const isUnread = ({ state, read_at }: Letter): boolean => state !== null && read_at === null;
