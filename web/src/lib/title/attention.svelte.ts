import { getContext, setContext } from "svelte";

/** How much waits for whoever sits here, over all sections: in the title and on the icon of every page. */
export class Attention {
  readonly count = $derived.by(() => this.#count());
  readonly #count: () => number;

  constructor(count: () => number) {
    this.#count = count;
  }
}

const KEY = Symbol("attention");
export const provideAttention = (count: () => number): Attention => setContext(KEY, new Attention(count));
export const useAttention = (): Attention => getContext<Attention>(KEY);
