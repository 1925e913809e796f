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
