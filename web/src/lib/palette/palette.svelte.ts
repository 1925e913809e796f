import { getContext, setContext } from "svelte";

export interface Entry {
  words: string;
  group: string;
  /** The keys that do the same. */
  keys?: readonly string[];
  run: () => void;
}

type Source = () => readonly Entry[];

/** Everything that can be done or gone to, by typing a bit of its name. */
export class Palette {
  open = $state(false);
  /** Asked each time it is opened. */
  readonly #sources = new Set<Source>();

  /** What the page that is shown can do besides. Returns the way to stop. */
  offer(source: Source): () => void {
    this.#sources.add(source);
    return () => {
      this.#sources.delete(source);
    };
  }

  get offered(): Entry[] {
    return [...this.#sources].flatMap((source) => source());
  }
}

const KEY = Symbol("palette");
export const providePalette = (): Palette => setContext(KEY, new Palette());
export const usePalette = (): Palette => getContext<Palette>(KEY);
