import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed, IN_BURSTS } from "#lib/live/followed.svelte.ts";
import { HubError, newKey } from "$client/index.ts";
import type { DraftSection } from "./types.ts";

type Piece = Tools["read_draft"]["output"];

/** What a writer is told who was overtaken: what stands there now, and what becomes of both texts together. */
export interface Overtaken {
  current_version: number;
  current: { title: string; content: string; author: string } | null;
  merged: { content: string; conflicts: number } | null;
}

export interface Writing {
  section_id: string;
  title: string;
  content: string;
  /** The version it began from; 0 for a section that is new. */
  expected_version: number;
}

/** The manuscript: its sections in their order, as they are now. */
export class Manuscript extends Followed {
  sections = $state.raw<readonly DraftSection[]>([]);
  /** Whether there is more of it than is shown. */
  cut = $state(false);
  /** The one that is looked at: as much is read as it takes to have it. */
  wanted: string | undefined;
  #pages = 1;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://workspace/draft"], gather: IN_BURSTS });
  }

  find(section_id: string | undefined): DraftSection | undefined {
    return this.sections.find((section) => section.section_id === section_id);
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.refresh();
  }

  /** Gives what stands in its way where somebody else wrote meanwhile; then nothing was written. */
  async write(writing: Writing): Promise<Overtaken | undefined> {
    try {
      await this.hub.client.call("write_draft_section", writing, { key: newKey() });
      await this.refresh();
      return undefined;
    } catch (error) {
      if (!(error instanceof HubError) || error.code !== "VERSION_CONFLICT") throw error;
      // The hub says so with exactly these.
      return error.details as unknown as Overtaken;
    }
  }

  async move(section_id: string, place: number): Promise<void> {
    await this.hub.client.call("draft_move", { section_id, place }, { key: newKey() });
    await this.refresh();
  }

  async versions(section_id: string) {
    return (await this.hub.client.call("draft_history", { section_id, limit: 50 })).versions;
  }

  diff(section_id: string, from: number, to: number) {
    return this.hub.client.call("draft_diff", { section_id, from, to });
  }

  export(format: "markdown" | "html") {
    return this.hub.client.call("draft_export", { format });
  }

  protected async read(): Promise<void> {
    const { sections, cut } = await this.#readPages();
    // What is as it was stays the same thing: its text is not drawn again.
    const before = new Map(this.sections.map((section) => [section.section_id, section]));
    this.sections = sections.map((section) => {
      const known = before.get(section.section_id);
      const same = known?.version === section.version && known.place === section.place;
      return known && same ? known : section;
    });
    this.cut = cut;
  }

  /** The hub gives a draft of some size in several pieces. */
  async #readPages(): Promise<{ sections: DraftSection[]; cut: boolean }> {
    const sections: DraftSection[] = [];
    for (let pages = 1, after: string | null = null; ; pages += 1) {
      const piece: Piece = await this.hub.client.call("read_draft", after === null ? {} : { after });
      sections.push(...piece.sections);
      after = piece.next;
      const found = this.wanted === undefined || sections.some(({ section_id }) => section_id === this.wanted);
      if (after === null || (found && pages >= this.#pages)) return { sections, cut: after !== null };
    }
  }
}
