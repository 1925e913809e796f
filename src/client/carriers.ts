/** What the hub takes on one stream. */
export const MOST_URIS = 100;

/** An open stream and the URIs it was asked for. */
export interface Stream {
  uris: readonly string[];
  controller: AbortController;
  opened_at: number;
}

/** Which stream tells of a URI. A stream of which no URI is left is closed. */
export class Carriers {
  readonly #streams = new Map<string, Stream>();

  has(uri: string): boolean {
    return this.#streams.has(uri);
  }

  carry(uri: string, stream: Stream): void {
    this.#streams.set(uri, stream);
  }

  urisOf(stream: Stream): string[] {
    return stream.uris.filter((uri) => this.#streams.get(uri) === stream);
  }

  /** A URI too many on a stream costs a hint that nobody hears; a stream for nobody costs a connection. */
  drop(uri: string): void {
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    if (stream) this.closeUnused(stream);
  }

  closeUnused(stream: Stream): void {
    if (!stream.uris.some((uri) => this.#streams.get(uri) === stream)) stream.controller.abort();
  }

  /** It has ended; these have no stream now. */
  lose(stream: Stream): string[] {
    const lost = this.urisOf(stream);
    for (const uri of lost) this.#streams.delete(uri);
    return lost;
  }

  closeAll(): void {
    const streams = new Set(this.#streams.values());
    this.#streams.clear();
    for (const stream of streams) stream.controller.abort();
  }

  /**
   * Streams to take into a new one, smallest first: as long as they are not much larger than what they join, each URI
   * is asked for a few times at most, however many come one after another.
   */
  mergeable(fresh: number): Stream[] {
    const sizes = [...new Set(this.#streams.values())].map((stream) => ({ stream, size: this.urisOf(stream).length }));
    const merged: Stream[] = [];
    let total = fresh;
    for (const { stream, size } of sizes.sort((a, b) => a.size - b.size)) {
      if (size > 2 * total || total + size > MOST_URIS) break;
      merged.push(stream);
      total += size;
    }
    return merged;
  }
}
