import { getContext, setContext, untrack } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { keep, onKept, personal } from "#lib/hub/kept.ts";
import type { Tools } from "#lib/hub/types.ts";
import { HubError } from "$client/index.ts";

type Mark = Tools["chat_read_marks"]["output"]["marks"][number];
/** What marks need of the hub. */
export type MarksHub = Pick<Hub, "client" | "me">;

const NOBODY = "";
/** So long it may come along with what is read next, and needs no request of its own. */
const TELL_MS = 1500;

/**
 * Up to where each chat was read, as the hub knows it of this person.
 * - A mark only goes forward, here at once and at the hub when it can be told.
 * - What was read elsewhere is asked for when the page is looked at again and when the hub is back, and comes along
 *   when something is said. Other tabs of this browser are told at once.
 */
export class Marks {
  #read = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** What the hub has not been told yet. */
  readonly #untold = new Map<string, string>();
  readonly #hub: MarksHub;
  readonly #first: Promise<void>;
  #later: ReturnType<typeof setTimeout> | undefined;
  #following = false;
  #known: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #again = false;
  #telling = false;
  /** Whether there was an answer, or none could be had. */
  #asked = false;

  /** `first`: when the marks that are read along with everything else have come, or will not. */
  constructor(hub: MarksHub, first: Promise<void> = Promise.resolve()) {
    this.#hub = hub;
    this.#first = first;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const name = personal(this.#hub.me.principal, "read");
    const look = (): void => this.refresh();
    const unkept = onKept((kept, value) => {
      if (kept === name) this.#hearTab(value);
    });
    addEventListener("focus", look);
    addEventListener("visibilitychange", look);
    this.#following = true;
    return () => {
      this.#following = false;
      clearTimeout(this.#later);
      this.#later = undefined;
      removeEventListener("focus", look);
      removeEventListener("visibilitychange", look);
      unkept();
      this.#known = undefined;
      this.#asked = false;
      this.#untold.clear();
      this.#read = new Map();
    };
  }

  /** Undefined when they are known, as well as they can be; else resolves when they are. */
  get coming(): Promise<void> | undefined {
    if (this.#following && !this.#asked) this.#known ??= this.#learn();
    return this.#known;
  }

  /** The last message that was read; null when none ever was. */
  of(agent: string | undefined): string | null {
    return this.#read.get(agent ?? NOBODY) ?? null;
  }

  /** It was read up to that message. */
  advance(agent: string | undefined, id: string): void {
    const name = agent ?? NOBODY;
    if (!this.#further(name, id)) return;
    this.#untold.set(name, id);
    keep(personal(this.#hub.me.principal, "read"), JSON.stringify([name, id]));
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      void this.#tell();
    }, TELL_MS);
  }

  /** The hub was told of it along with something else. */
  told(agent: string | undefined, id: string): void {
    const name = agent ?? NOBODY;
    this.#further(name, id);
    if (Number(this.#untold.get(name) ?? 0) <= Number(id)) this.#untold.delete(name);
  }

  /** What was read elsewhere may be more by now. */
  refresh(): void {
    if (!this.#following) return;
    void this.#tell();
    void this.#ask();
  }

  /** What was read along with something else. It may be older than what is known here since. */
  take(marks: readonly Mark[]): void {
    if (!this.#following) return;
    if (!this.#asked) this.#take(marks);
    else for (const { agent, read_id } of marks) this.#further(agent ?? NOBODY, read_id);
  }

  #further(name: string, id: string): boolean {
    const read = untrack(() => this.#read);
    if (Number(id) <= Number(read.get(name) ?? 0)) return false;
    this.#read = new Map(read).set(name, id);
    return true;
  }

  /** Of another tab. What is no mark is none of ours. */
  #hearTab(value: string | null): void {
    const [, name, id] = /^\["([^"]*)","(\d+)"\]$/.exec(value ?? "") ?? [];
    if (name !== undefined && id !== undefined) this.#further(name, id);
  }

  /** The hub's word counts, also where it was restored and knows less; except for what it is still to be told. */
  #take(marks: readonly Mark[]): void {
    this.#known = undefined;
    this.#asked = true;
    this.#read = new Map(marks.map(({ agent, read_id }) => [agent ?? NOBODY, read_id]));
    for (const [name, id] of this.#untold) this.#further(name, id);
  }

  async #learn(): Promise<void> {
    await this.#first;
    if (!this.#asked) await this.#ask();
  }

  /** One question at a time, and one more for whoever asked meanwhile. */
  #ask(): Promise<void> {
    this.#again = true;
    this.#asking ??= this.#askOn().finally(() => {
      this.#asking = undefined;
      this.#known = undefined;
      this.#asked = true;
    });
    return this.#asking;
  }

  async #askOn(): Promise<void> {
    while (this.#again && this.#following) {
      this.#again = false;
      const { client } = this.#hub;
      try {
        const { marks } = await client.call("chat_read_marks", {});
        if (client === this.#hub.client && this.#following) this.#take(marks);
      } catch (error) {
        // The connection's banner says it; when the hub is back it is asked again.
        if (!(error instanceof HubError)) throw error;
      }
    }
  }

  async #tell(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let [next] = this.#untold; next; [next] = this.#untold) await this.#tellOne(...next);
    } catch (error) {
      // It stays to be told, and is with the next one or when the hub is back.
      if (!(error instanceof HubError)) throw error;
    } finally {
      this.#telling = false;
    }
  }

  async #tellOne(name: string, id: string): Promise<void> {
    try {
      await this.#hub.client.call("chat_mark_read", { id, ...(name !== NOBODY && { agent: name }) });
    } catch (error) {
      // What the hub does not take it will not take later either.
      if (!(error instanceof HubError) || error.passing) throw error;
    }
    if (this.#untold.get(name) === id) this.#untold.delete(name);
  }
}

const KEY = Symbol("marks");
export const provideMarks = (hub: Hub, first: Promise<void>): Marks => setContext(KEY, new Marks(hub, first));
export const useMarks = (): Marks => getContext<Marks>(KEY);
