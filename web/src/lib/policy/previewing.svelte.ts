import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Preview } from "./types.ts";

const PAGE = 20;

/** What is tried out: one rule more, or all of them. */
export type Draft = { rule: unknown } | { document: unknown };

/** What a draft would have decided otherwise: how much of everything, and which, a page at a time. */
export class Previewing {
  preview = $state.raw<Preview>();
  #draft: Draft | undefined;
  readonly #hub: Pick<Hub, "client">;

  constructor(hub: Pick<Hub, "client">) {
    this.#hub = hub;
  }

  async read(draft: Draft): Promise<void> {
    this.#draft = draft;
    const preview = await this.#hub.client.call("policy_preview", { ...draft, limit: PAGE });
    // Another one was tried out meanwhile.
    if (this.#draft === draft) this.preview = preview;
  }

  /** Those that were asked before the ones that are shown. */
  async more(): Promise<void> {
    const { preview: known } = this;
    const draft = this.#draft;
    if (!draft || !known?.next) return;
    const page = await this.#hub.client.call("policy_preview", { ...draft, limit: PAGE, before: known.next });
    if (this.preview === known) this.preview = { ...page, calls: [...known.calls, ...page.calls] };
  }

  forget(): void {
    this.#draft = undefined;
    this.preview = undefined;
  }
}
