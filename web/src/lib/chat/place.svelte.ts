import { flushSync } from "svelte";
import type { Chat } from "./chat.svelte.ts";
import { Geometry } from "./geometry.ts";
import type { Order, Row } from "./rows.ts";

/** How far beyond the edges rows are drawn, and how near to the top earlier ones are asked for. */
const AROUND_PX = 400;
const AT_END_PX = 48;
/** What is left to see above the message of a link, and above the first one that is new. */
const ABOVE_AIM_PX = 120;
const ABOVE_UNREAD_PX = 24;

type PlacedChat = Pick<
  Chat,
  "loaded" | "newest" | "has_later" | "unread_id" | "loadEarlier" | "loadLater" | "toNewest" | "reach" | "see" | "unsee"
>;

/**
 * Where the reader is in a long list of which only a part is drawn. At the end the list stays at its end; elsewhere
 * the row at the top of the view stays where it is, whatever is added, measured or loaded around it. With the newest
 * first its end is above.
 */
export class ScrollPlace {
  first = $state(0);
  last = $state(0);
  following = $state(true);
  /** How many messages came while the reader was elsewhere. */
  arrived = $state(0);
  readonly #chat: PlacedChat;
  /** The newest stands above. */
  readonly #upside_down: boolean;
  readonly #geometry = new Geometry();
  readonly #observer = new ResizeObserver((entries) => this.#resized(entries));
  readonly #spacers = new Map<"above" | "below", HTMLElement>();
  readonly #keys = new WeakMap<Element, string>();
  #node: HTMLElement | undefined;
  #newest = 0;
  #top = 0;
  #last_sent: string | undefined;
  #placed = false;
  /** Which row is held where, until the reader scrolls: rows around it turn out to be other than was thought. */
  #held: Anchor | undefined;

  constructor(chat: PlacedChat, order: Order = "oldest") {
    this.#chat = chat;
    this.#upside_down = order === "newest";
  }

  attach(node: HTMLElement): () => void {
    this.#node = node;
    // Tells of its height at once, and then everything finds its place.
    this.#observer.observe(node);
    // What came while nobody looked is seen now.
    const look = (): void => this.#look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      this.#observer.disconnect();
      this.#node = undefined;
    };
  }

  /** What stands for the rows that are not drawn. */
  spacer(side: "above" | "below", node: HTMLElement): void {
    this.#spacers.set(side, node);
    this.#space();
  }

  watch(node: Element, key: string): () => void {
    this.#keys.set(node, key);
    this.#observer.observe(node);
    return () => this.#observer.unobserve(node);
  }

  /** Before rows are drawn: they may be others than before. */
  take(rows: readonly Row[]): void {
    const anchor = this.#anchor();
    this.#geometry.keys = rows.map(({ key }) => key);
    this.#count(rows);
    this.#range(this.#topOf(anchor));
    // After they are drawn, and before they are seen.
    queueMicrotask(() => this.#hold(anchor));
  }

  scrolled(): void {
    const node = this.#node;
    if (!node) return;
    if (node.scrollTop !== this.#top) this.#held = undefined;
    const below = node.scrollHeight - node.scrollTop - node.clientHeight;
    const [to_newest, to_oldest] = this.#upside_down ? [node.scrollTop, below] : [below, node.scrollTop];
    const moved = (node.scrollTop - this.#top) * (this.#upside_down ? 1 : -1);
    // Away from the end only by moving away: what grows beyond it was not the reader's doing.
    if (to_newest < AT_END_PX && !this.#chat.has_later) this.following = true;
    else if (moved > 1) this.following = false;
    this.#top = node.scrollTop;
    this.#range(node.scrollTop);
    this.#look();
    if (to_oldest < 2 * AROUND_PX) void this.#chat.loadEarlier();
    if (to_newest < 2 * AROUND_PX) void this.#chat.loadLater();
  }

  /** Something in view is about to grow: the end may go, the view stays. */
  let(): void {
    this.following = false;
  }

  end(): void {
    this.#chat.toNewest();
    this.following = true;
    this.#settle(() => {});
    this.#look();
    this.#node?.focus({ preventScroll: true });
  }

  /** Brings what was said or done into view. */
  async go(id: string): Promise<void> {
    const key = await this.#chat.reach(id);
    if (key === undefined) return;
    this.following = false;
    this.#held = { key, shift: -ABOVE_AIM_PX };
    // Now its rows are there too.
    flushSync();
    this.#hold(this.#held);
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    this.#settle(() => {
      for (const { target, borderBoxSize } of entries) {
        const key = this.#keys.get(target);
        if (key !== undefined) this.#geometry.measure(key, borderBoxSize[0]?.blockSize ?? 0);
      }
    });
  }

  /** Before it is there, as high as it can be: what is drawn first is then what is seen first. */
  get #height(): number {
    return this.#node?.clientHeight ?? innerHeight;
  }

  #settle(change: () => void): void {
    const anchor = this.#anchor();
    change();
    this.#hold(anchor);
  }

  /** Which row is at the top of the view, and how much of it is above. */
  #anchor(): Anchor | undefined {
    if (!this.#node || this.#geometry.count === 0) return undefined;
    const { scrollTop } = this.#node;
    const held = this.#held ? this.#geometry.indexOf(this.#held.key) : -1;
    // One that has come to lie above the view holds nothing in it.
    if (held >= 0 && this.#geometry.top(held + 1) > scrollTop) return this.#held;
    const index = this.#geometry.at(scrollTop);
    const key = this.#geometry.keyAt(index);
    return key === undefined ? undefined : { key, shift: scrollTop - this.#geometry.top(index) };
  }

  #topOf(anchor: Anchor | undefined): number {
    const end = this.#upside_down ? 0 : this.#geometry.total - this.#height;
    const index = anchor ? this.#geometry.indexOf(anchor.key) : -1;
    if (this.following || !anchor || index < 0) return Math.max(0, end);
    return Math.max(0, this.#geometry.top(index) + anchor.shift);
  }

  #hold(anchor: Anchor | undefined): void {
    const node = this.#node;
    if (!node) return;
    this.#held = this.following ? undefined : anchor;
    const top = this.#topOf(anchor);
    this.#range(top);
    flushSync();
    node.scrollTop = this.following && !this.#upside_down ? node.scrollHeight : top;
    this.#top = node.scrollTop;
    this.#first();
    this.#look();
  }

  #range(top: number): void {
    const height = this.#height;
    // At first nothing but what is seen: that is what is waited for.
    const around = this.#placed ? AROUND_PX : 0;
    const at = (offset: number): number => this.#geometry.at(offset);
    // What is drawn stays drawn until it is far away, or a row at the edge would come and go with every pixel.
    this.first = Math.min(at(top - around), Math.max(this.first, at(top - 2 * around)));
    const end = top + height;
    const last = Math.max(at(end + around) + 1, Math.min(this.last, at(end + 2 * around) + 1));
    this.last = Math.min(this.#geometry.count, last);
    this.#space();
  }

  /** By hand, since it has to be so before the next line asks how high everything is. */
  #space(): void {
    const above = this.#geometry.top(this.first);
    const below = this.#geometry.total - this.#geometry.top(this.last);
    this.#spacers.get("above")?.style.setProperty("height", `${above}px`);
    this.#spacers.get("below")?.style.setProperty("height", `${below}px`);
  }

  /** Opened with something new: begin there, not at its end. */
  #first(): void {
    const { unread_id, loaded } = this.#chat;
    if (this.#placed || !loaded || this.#geometry.count === 0) return;
    this.#placed = true;
    // With the newest first what is new is what is seen.
    if (this.#upside_down) return;
    const index = unread_id === undefined ? -1 : this.#geometry.indexOf(unread_id);
    if (index < 0 || this.#geometry.total - this.#geometry.top(index) < (this.#node?.clientHeight ?? 0)) return;
    this.following = false;
    this.#hold({ key: this.#geometry.keyAt(index) ?? "", shift: -ABOVE_UNREAD_PX });
  }

  #count(rows: readonly Row[]): void {
    // Whoever says something wants to see it said.
    const sent = rows.at(this.#upside_down ? 0 : -1)?.pending?.key;
    if (this.#placed && sent !== undefined && sent !== this.#last_sent) this.following = true;
    this.#last_sent = sent ?? this.#last_sent;
    const known = this.#newest;
    // Of what is said now, also while a stretch further back is shown.
    const { newest } = this.#chat;
    this.#newest = Math.max(known, Number(newest.at(-1)?.id ?? 0));
    if (this.following || known === 0) return;
    for (let at = newest.length - 1; Number(newest[at]?.id ?? 0) > known; at -= 1) this.arrived += 1;
  }

  #look(): void {
    if (!this.following || !this.#node?.clientHeight) {
      this.#chat.unsee();
      return;
    }
    this.arrived = 0;
    if (document.visibilityState === "visible") this.#chat.see();
  }
}

interface Anchor {
  key: string;
  shift: number;
}
