import type { Side } from "#lib/list/finger.svelte.ts";
import { isIn } from "./copies.ts";
import type { Action, Copy } from "./types.ts";

interface Swipe {
  action: Action;
  sign: string;
  words: string;
}

const DONE: Swipe = { action: "archive", sign: "✓", words: "Done" };
const BACK: Swipe = { action: "inbox", sign: "↩", words: "To the inbox" };
const LATER: Swipe = { action: "snooze", sign: "☾", words: "Snooze" };

/** What drawing a row to a side does: to the right it goes where it does not lie already. */
export const swipesOf = (copy: Copy): Record<Side, Swipe> => ({
  right: isIn(copy, "inbox") ? DONE : BACK,
  left: LATER,
});
