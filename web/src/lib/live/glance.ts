import { getContext, setContext } from "svelte";
import { isRecord } from "#lib/hub/contents.ts";
import { firstOutput } from "#lib/hub/first.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { GlanceParts } from "#lib/hub/types.ts";
import { Live, type LiveHint } from "./live.ts";

type PartName = keyof GlanceParts;

/** What a section shows on every page. */
interface Part<P extends PartName> {
  take: (part: GlanceParts[P]) => void;
  /** Why it could not be read. */
  fail?: (sentence: string) => void;
  /** False for what the page that is shown reads itself, and hands over. */
  heeds?: (hint: LiveHint) => boolean;
  /** Whether the page that is shown is about nothing else, and shows all of it. */
  full?: () => boolean;
}

/** What the page that is shown reads itself is asked for first, and may bring along what is shown here. */
const GATHER = { first_ms: 80, next_ms: 400 };
const URI = "ui://glance";

/**
 * What every page shows, whatever section it is of: a part each, and one request for all that may have changed. A new
 * section costs no request more.
 */
export class Glance {
  /** Resolves when it was read for the first time, or could not be. */
  readonly first: Promise<void>;
  readonly #hub: Hub;
  readonly #parts = new Map<PartName, Part<PartName>>();
  readonly #stale = new Set<PartName>();
  readonly #tell_first: () => void;
  #live: Live | undefined;

  constructor(hub: Hub) {
    this.#hub = hub;
    ({ promise: this.first, resolve: this.#tell_first } = Promise.withResolvers<void>());
  }

  /** Said while the frame is made, before anything is followed. */
  add<P extends PartName>(name: P, part: Part<P>): void {
    // Each is called with what belongs to its name.
    this.#parts.set(name, part as unknown as Part<PartName>);
  }

  /** Returns the way to stop. */
  follow(): () => void {
    const ahead = firstOutput("space_glance", {});
    if (ahead) this.#take(ahead.parts);
    const live = new Live(this.#hub, {
      uris: [URI],
      read: () => this.#read(),
      fail: (sentence) => this.#fail(sentence),
      heeds: (hint) => this.#heeds(hint),
      gather: GATHER,
    });
    this.#live = live;
    return () => {
      live.stop();
      this.#live = undefined;
      this.#stale.clear();
    };
  }

  /** Reads it once more: for what changes with time, of which nobody hints, or where more of it is shown now. */
  async refresh(name: PartName): Promise<void> {
    this.#stale.add(name);
    await this.#live?.refresh();
  }

  /** Somebody reads these along with something else from now on, and hands them over: they need not be asked for. */
  cover(...names: readonly PartName[]): void {
    for (const name of names) this.#stale.delete(name);
  }

  /** Where the hint says nothing of the parts, each of them may have changed. */
  #heeds({ anew, about }: LiveHint): boolean {
    const touched = anew || !isRecord(about.parts) ? undefined : about.parts;
    for (const [name, part] of this.#parts) {
      const own = touched ? touched[name] : {};
      if (isRecord(own) && (part.heeds?.({ anew, about: own }) ?? true)) this.#stale.add(name);
    }
    return this.#stale.size > 0;
  }

  async #read(): Promise<void> {
    const parts = [...this.#stale];
    if (parts.length === 0) return;
    this.#stale.clear();
    const full = parts.filter((name) => this.#parts.get(name)?.full?.());
    const { client } = this.#hub;
    try {
      const answer = await client.call("space_glance", { parts, ...(full.length > 0 && { full }) });
      if (client === this.#hub.client) this.#take(answer.parts);
      // A page that was opened meanwhile shows more than was asked for.
      for (const name of parts) if (!full.includes(name) && this.#parts.get(name)?.full?.()) void this.refresh(name);
    } catch (error) {
      for (const name of parts) this.#stale.add(name);
      this.#tell_first();
      throw error;
    }
  }

  #take(parts: Record<string, unknown>): void {
    for (const [name, part] of this.#parts) {
      // The hub's own type of that part.
      const given = parts[name] as GlanceParts[PartName] | undefined;
      if (given !== undefined) part.take(given as never);
    }
    this.#tell_first();
  }

  #fail(sentence: string): void {
    this.#stale.clear();
    for (const part of this.#parts.values()) part.fail?.(sentence);
  }
}

const KEY = Symbol("glance");
export const provideGlance = (hub: Hub): Glance => setContext(KEY, new Glance(hub));
export const useGlance = (): Glance => getContext<Glance>(KEY);
