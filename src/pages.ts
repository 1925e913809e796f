import { formatId, parseId } from "./ids.ts";

/** Behind the newest. */
export const FROM_THE_TOP = Number.MAX_SAFE_INTEGER;

/** Where a page begins that goes from the newest to the oldest. */
export const startOf = (before: string | null | undefined): number => (before ? parseId(before) : FROM_THE_TOP);

/** A page of rows of which one more was asked for than it may hold, with where the next one begins. */
export function page<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => number,
): { shown: T[]; next: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { shown, next: last !== undefined && rows.length > limit ? formatId(positionOf(last)) : null };
}

/** Bytes of text that one page of a list holds. */
const MOST_PAGE_BYTES = 1024 * 1024;

/** As many as stay within the bytes of a page, and at least one; none counts for more than `most`, where it is cut. */
export function fitting<T extends { bytes: number }>(sizes: readonly T[], most = Number.POSITIVE_INFINITY): T[] {
  let bytes = 0;
  const end = sizes.findIndex((size, at) => {
    bytes += Math.min(size.bytes, most);
    return at > 0 && bytes > MOST_PAGE_BYTES;
  });
  return end < 0 ? [...sizes] : sizes.slice(0, end);
}

/** A page within the bytes of one, of rows of which one more was asked for than it may hold. */
export function fittingPage<T extends { bytes: number }>(
  rows: readonly T[],
  limit: number,
): { shown: T[]; has_more: boolean } {
  const shown = fitting(rows.slice(0, limit));
  return { shown, has_more: rows.length > shown.length };
}
