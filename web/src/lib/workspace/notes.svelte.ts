import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Followed, IN_BURSTS } from "#lib/live/followed.svelte.ts";
import type { Note, Tag } from "./types.ts";

const SOME = 60;
/** The hub gives no more in one go; what is older is found by looking for it. */
const MOST = 500;
/** So often a search goes on that has found nothing yet: the hub looks at some thousand notes at a time. */
const MOST_LOOKS = 20;

export interface Sought {
  query: string;
  tag: string | undefined;
}

/** The corkboard: the newest notes, or those that are looked for, with what they are about. */
export class Notes extends Followed {
  list = $state.raw<readonly Note[]>([]);
  tags = $state.raw<readonly Tag[]>([]);
  has_more = $state(false);
  #sought: Sought = { query: "", tag: undefined };
  #pages = 1;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://workspace/notes"], gather: IN_BURSTS });
  }

  seek(sought: Sought): void {
    if (sought.query === this.#sought.query && sought.tag === this.#sought.tag) return;
    this.#sought = sought;
    this.#pages = 1;
    void this.refresh();
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.refresh();
  }

  async add(content: string, tags: string[], key: string): Promise<void> {
    await this.hub.client.call("add_note", { content, tags }, { key });
    await this.refresh();
  }

  protected async read(): Promise<void> {
    const sought = this.#sought;
    const [found, { tags }] = await Promise.all([
      this.#find(sought),
      this.hub.client.call("note_tags", { limit: 200 }),
    ]);
    if (sought !== this.#sought) return;
    this.list = found.notes;
    this.has_more = found.has_more;
    this.tags = tags;
  }

  /** The pages of a search until there are enough, or no more. */
  async #search(wanted: { query?: string; tag?: string }, limit: number) {
    const notes: Note[] = [];
    let after: { after_id?: string } = {};
    for (let look = 1; ; look += 1) {
      const rest = limit - notes.length;
      const page = await this.hub.client.call("read_notes", { ...wanted, ...after, limit: rest });
      notes.push(...page.notes);
      const enough = !page.has_more || notes.length >= limit || look === MOST_LOOKS;
      if (enough || page.last_id === null) return { notes, has_more: page.has_more };
      after = { after_id: page.last_id };
    }
  }

  /** What is looked for is found in the order it was noted; the corkboard as it is has the newest on top. */
  async #find({ query, tag }: Sought): Promise<{ notes: readonly Note[]; has_more: boolean }> {
    const limit = Math.min(MOST, this.#pages * SOME);
    if (query.trim() === "" && tag === undefined) {
      const { notes, has_more } = await this.hub.client.call("read_notes", { newest: true, limit });
      return { notes: notes.toReversed(), has_more: has_more && limit < MOST };
    }
    const wanted = { ...(query.trim() !== "" && { query: query.trim() }), ...(tag !== undefined && { tag }) };
    const { notes, has_more } = await this.#search(wanted, limit);
    return { notes, has_more: has_more && limit < MOST };
  }
}
