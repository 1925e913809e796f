import { cut } from "../text.ts";
import type { Answer } from "./drivers/driver.ts";

const MOST_TEXT = 500_000;
const MOST_NAME = 200;
/** No tool takes more, and nobody could look it through. */
const MOST_ARGUMENTS = 200_000;
const MOST_SHOWN = 2000;
/** So many entries the hub notes at once. */
const A_BATCH = 50;

/** What every database takes. */
export const clean = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

/** What a model wrote, as it can be noted: it may write anything, and its turn goes on. */
export const notable = ({ text, calls, ...used }: Answer): Answer => ({
  ...used,
  ...(text && { text: clean(text.slice(0, MOST_TEXT)) }),
  calls: calls.map(({ tool, arguments: given }) => ({
    tool: clean(tool.slice(0, MOST_NAME)) || "unknown",
    arguments: notableArguments(given),
  })),
});

/** Nothing is run with other arguments than were written: what cannot be noted is no object any more, and refused as that. */
const notableArguments = (given: string): string =>
  given.length <= MOST_ARGUMENTS && clean(given) === given ? given : JSON.stringify(cut(clean(given), MOST_SHOWN));

/** In their order, each of as many as are noted at once. */
export const batches = <T>(events: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(events.length / A_BATCH) }, (_, n) => events.slice(n * A_BATCH, (n + 1) * A_BATCH));
