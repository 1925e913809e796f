import { getContext, setContext } from "svelte";

/** Everything that can be done or gone to, by typing a bit of its name. */
export class Palette {
  open = $state(false);
}

const KEY = Symbol("palette");
export const providePalette = (): Palette => setContext(KEY, new Palette());
export const usePalette = (): Palette => getContext<Palette>(KEY);
