interface Most {
  items: number;
  /** Of what `sizeOf` counts, unless a single one has more. */
  size: number;
}

/** As much as goes in one call, in order. */
export async function* batches<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: Most,
  sizeOf: (item: T) => number,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let size = 0;
  for await (const item of items) {
    const more = sizeOf(item);
    if (batch.length > 0 && (batch.length === most.items || size + more > most.size)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(item);
    size += more;
  }
  if (batch.length > 0) yield batch;
}
