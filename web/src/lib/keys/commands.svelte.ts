import { getContext, setContext } from "svelte";

/** Something that can be done, by its keys where it has some and by its name in the palette. */
export interface Command {
  words: string;
  group: string;
  /** Where several have the same words. */
  key?: string;
  /** What is pressed, one after the other. */
  keys?: readonly string[];
  /** Left out of the palette: what only moves about is quicker by its key. */
  hidden?: boolean;
  run: () => void;
}

type Source = () => readonly Command[];

/** What can be done just now: what sections offer everywhere, and what the page that is shown offers besides. */
export class Commands {
  /** Whether the list of keys is shown. */
  helping = $state(false);
  readonly #everywhere: Source;
  readonly #sources = new Set<Source>();

  constructor(everywhere: Source) {
    this.#everywhere = everywhere;
  }

  /** What the page that is shown can do besides; asked each time. Returns the way to stop. */
  offer(source: Source): () => void {
    this.#sources.add(source);
    return () => {
      this.#sources.delete(source);
    };
  }

  get offered(): Command[] {
    return [...this.#sources, this.#everywhere].flatMap((source) => source());
  }
}

const KEY = Symbol("commands");
export const provideCommands = (everywhere: Source): Commands => setContext(KEY, new Commands(everywhere));
export const useCommands = (): Commands => getContext<Commands>(KEY);
