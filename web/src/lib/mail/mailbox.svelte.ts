import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { Live } from "#lib/live/live.ts";
import { HubError, newKey } from "$client/index.ts";
import { type FolderName, inboxUri } from "./address.ts";
import { after, isIn, isPressing } from "./copies.ts";
import { parseQuery } from "./query.ts";
import { threadsOf } from "./threads.ts";
import type { Action, Copy, MailItem, MailList } from "./types.ts";

const PAGE = 50;
const MOST_PAGE = 100;

export type Overview = NonNullable<MailList["overview"]>;

interface View {
  folder: FolderName;
  q: string;
}

type Sorted = Copy & { id: string };
type Change = Partial<Copy>;

/** Whoever shows how much is unread, here and elsewhere: it is read along with each mailbox. */
interface Frame {
  /** It is being asked for. */
  asking: () => void;
  take: (overview: Overview) => void;
}

/** One event may be told twice, of the sender's mailbox and of another. */
const GATHER = { first_ms: 20, next_ms: 0 };
/** Changes with one's own mailbox too: who follows it hears of everything once. */
const NEEDS_URI = "parley://needs";

/** A mailbox as it is looked at: one folder of it, or what was found in it; one's own with what waits for oneself. */
export class Mailbox {
  /** Whose it is. */
  readonly name: string;
  readonly own: boolean;
  loaded = $state(false);
  problem = $state<string>();
  /** Whether there is more behind the last row. */
  more = $state(false);
  /** Why that could not be read. */
  more_problem = $state<string>();
  #items = $state.raw<readonly MailItem[]>([]);
  #pressing = $state.raw<readonly MailItem[]>([]);
  /** What was done and the hub has not confirmed: shown already, and gone again if it fails. */
  #changes = $state.raw<ReadonlyMap<string, Change>>(new Map());
  #view = $state.raw<View>({ folder: "inbox", q: "" });
  #next: string | null = null;
  #updating: Promise<void> | undefined;
  #live: Live | undefined;
  readonly #hub: Hub;
  readonly #frame: Frame | undefined;

  constructor(hub: Hub, box: string | undefined, frame?: Frame) {
    this.#hub = hub;
    this.#frame = frame;
    this.name = box ?? hub.me.principal;
    this.own = this.name === hub.me.principal;
  }

  /**
   * The mail that waits for this person, in one's own inbox: each by itself, as the hub counts it. It stands above the rest
   * and not in it.
   */
  readonly pressing = $derived.by(() =>
    this.#hasPressing ? this.#pressing.map((item) => this.#changed(item)).filter(isPressing) : [],
  );

  readonly #listed = $derived.by(() => {
    const { folder, q } = this.#view;
    const items = this.#items.map((item) => this.#changed(item));
    // A search shows what it found, wherever that is put now.
    return q === "" ? items.filter((item) => isIn(item, folder)) : items;
  });

  readonly rows = $derived.by(() => {
    const above = new Set(this.pressing.map(({ thread_id }) => thread_id));
    return threadsOf(this.#listed.filter(({ thread_id }) => !above.has(thread_id)));
  });

  /** The mails that a row stands for, as far as they are known here. */
  behind({ thread_id }: Pick<MailItem, "thread_id">): MailItem[] {
    const mails = [...this.pressing, ...this.#listed].filter((item) => item.thread_id === thread_id);
    return [...new Map(mails.map((mail) => [mail.id, mail])).values()];
  }

  get #hasPressing(): boolean {
    return this.own && this.#view.folder === "inbox" && this.#view.q === "";
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const fail = (sentence: string): void => {
      this.problem = sentence;
    };
    const live = new Live(this.#hub, {
      uris: [this.own ? NEEDS_URI : inboxUri(this.name)],
      read: () => this.#read(),
      fail,
      gather: GATHER,
      // What agents ask is none of the mail.
      heeds: ({ about }) => about.topic !== "notice",
    });
    this.#live = live;
    return () => live.stop();
  }

  /** False when that is what is shown already. */
  show(view: View): boolean {
    if (view.folder === this.#view.folder && view.q === this.#view.q) return false;
    this.#view = view;
    this.#items = [];
    this.loaded = false;
    this.problem = undefined;
    this.more_problem = undefined;
    void this.refresh();
    return true;
  }

  refresh(): Promise<void> {
    this.problem = undefined;
    return this.#live?.refresh() ?? Promise.resolve();
  }

  /** The next page. */
  async loadMore(): Promise<void> {
    const [view, next] = [this.#view, this.#next];
    if (next === null || !this.more) return;
    this.more = false;
    this.more_problem = undefined;
    try {
      const page = await this.#page(view, { limit: PAGE, before: next });
      if (view !== this.#view || next !== this.#next) return;
      const known = new Set(this.#items.map(({ id }) => id));
      this.#take([...this.#items, ...page.messages.filter(({ id }) => !known.has(id))], page.next);
    } catch (error) {
      if (view !== this.#view) return;
      this.more_problem = sentenceOf(error);
      this.more = true;
    }
  }

  /** Shows it done at once. Rejects, and shows it as it was, when the hub does not do it. */
  async act(copies: readonly Sorted[], action: Action, until?: string): Promise<void> {
    const now = new Date(this.#hub.client.now()).toISOString();
    const changes = new Map(copies.map((copy) => [copy.id, after(copy, action, { now, until })]));
    this.#changes = new Map([...this.#changes, ...changes]);
    // As whoever did it, also where somebody else is signed in by the time it is its turn.
    const { client } = this.#hub;
    const ids = [...changes.keys()];
    try {
      await this.#inTurn(async () => {
        for (let from = 0; from < ids.length; from += MOST_PAGE) {
          const input = { ids: ids.slice(from, from + MOST_PAGE), action, ...(until !== undefined && { until }) };
          await client.call("mail_update", input, { key: newKey() });
        }
      });
      await this.refresh();
    } finally {
      // What was done to it since is another change.
      this.#changes = new Map([...this.#changes].filter(([id, change]) => changes.get(id) !== change));
    }
  }

  /**
   * What is taken back while it is still on its way, or is being tried again, must not be overtaken by it. With the hub
   * away whatever stands behind it fails with it: each would be tried for as long.
   */
  #inTurn(update: () => Promise<void>): Promise<void> {
    const before = this.#updating?.catch((error: unknown) => {
      if (error instanceof HubError && error.code === "HUB_UNREACHABLE") throw error;
    });
    const updating = before ? before.then(update) : update();
    this.#updating = updating;
    const over = (): void => {
      if (this.#updating === updating) this.#updating = undefined;
    };
    updating.then(over, over);
    return updating;
  }

  /** What is known of a mail, as it is shown. */
  find(id: string): MailItem | undefined {
    return [...this.pressing, ...this.rows].find((item) => item.id === id);
  }

  #changed(item: MailItem): MailItem {
    const change = this.#changes.get(item.id);
    return change ? { ...item, ...change } : item;
  }

  /** As many as are shown, and one page at least. More may be shown by the time it is read. */
  async #read(): Promise<void> {
    const view = this.#view;
    // Where all of it is shown, what comes pushes nothing out at the end.
    const room = (): number => (this.loaded && this.#next === null ? PAGE : 0);
    const missing = (known: number): number => Math.min(Math.max(this.#items.length + room(), PAGE) - known, MOST_PAGE);
    let page = await this.#page(view, { limit: missing(0) });
    const items = [...page.messages];
    const { pressing = [] } = page.overview ?? {};
    // Last, so that nothing that is shown by now is left out.
    while (page.next !== null && missing(items.length) > 0 && view === this.#view) {
      page = await this.#page(view, { limit: missing(items.length), before: page.next });
      items.push(...page.messages);
    }
    if (view !== this.#view) return;
    this.#pressing = pressing;
    this.#take(items, page.next);
    this.problem = undefined;
    this.loaded = true;
  }

  #take(items: readonly MailItem[], next: string | null): void {
    // What is as it was stays the same thing: its row is not drawn again.
    const known = new Map(this.#items.map((item) => [item.id, item]));
    this.#items = items.map((item) => {
      const before = known.get(item.id);
      return before && JSON.stringify(before) === JSON.stringify(item) ? before : item;
    });
    this.#next = next;
    this.more = next !== null;
    this.more_problem = undefined;
  }

  async #page(
    { folder, q }: View,
    page: { limit: number; before?: string },
  ): Promise<{ messages: MailItem[]; next: string | null; overview?: Overview | undefined }> {
    const agent = this.own ? {} : { agent: this.name };
    if (q !== "") return this.#hub.client.call("mail_search", { ...parseQuery(q).input, ...page, ...agent });
    const unread = folder === "unread";
    // What all of the frame shows comes along with the first page: one read, and not one more for each number.
    const overview = page.before === undefined && { overview: true };
    const input = { folder: unread ? "inbox" : folder, unread, ...page, ...overview, ...agent } as const;
    if (overview) this.#frame?.asking();
    const list = await this.#hub.client.call("mail_inbox", input);
    if (list.overview) this.#frame?.take(list.overview);
    return list;
  }
}
