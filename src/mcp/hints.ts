import type { FeedEvent } from "../feed/event.ts";
import { hintOf, type Watch } from "../resource.ts";
import { Turns } from "../turns.ts";
import { MAX_HINT_BYTES } from "./limits.ts";

/** How many differently stamped copies of one hint are kept for the listeners still to come. */
const COPIES = 16;

/**
 * `notifications/resources/updated` as an SSE frame, built once for everybody who is told.
 * Listeners of the 2026-07-28 era differ only in the stamp: their subscription's id.
 */
export class Hint {
  readonly #head: string;
  readonly #tail: string;
  readonly #copies = new Map<string, Buffer>();

  constructor(uri: string, payload: object) {
    // Typed handlers of the SDKs drop what they do not know from `params`, but keep `_meta` whole.
    const loose = members(payload, "");
    const kept = members(payload, "parley/");
    const params = [`"uri":${JSON.stringify(uri)}`, ...loose].join(",");
    this.#head = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{${params},"_meta":{`;
    this.#tail = `${kept.join(",")}}}}\n\n`;
  }

  get bytes(): number {
    return Buffer.byteLength(this.#head) + Buffer.byteLength(this.#tail);
  }

  /** `stamp` is a JSON member such as `"io…/subscriptionId":7`, or nothing. */
  frame(stamp: string): Buffer {
    const known = this.#copies.get(stamp);
    if (known) return known;
    const comma = stamp && !this.#tail.startsWith("}") ? "," : "";
    const frame = Buffer.from(this.#head + stamp + comma + this.#tail);
    if (this.#copies.size < COPIES) this.#copies.set(stamp, frame);
    return frame;
  }
}

export const bareHint = (uri: string): Hint => new Hint(uri, {});

/** What the watchers of an event are told, worked out once for all that watch alike. */
export class Hints {
  #event: FeedEvent | undefined;
  readonly #known = new Map<Watch["hint"], Map<string, Hint | null>>();
  readonly #merge_ms: number;
  readonly #waiting = new Set<() => void>();
  readonly #turns = new Turns<symbol>();
  #timer: NodeJS.Timeout | undefined;

  constructor(merge_ms: number) {
    this.#merge_ms = merge_ms;
  }

  /** Null when the event is no reason to read `uri` again. */
  of(event: FeedEvent, uri: string, watch: Watch): Hint | null {
    if (this.#event !== event) {
      this.#event = event;
      this.#known.clear();
    }
    const alike = this.#known.get(watch.hint) ?? new Map<string, Hint | null>();
    this.#known.set(watch.hint, alike);
    const known = alike.get(uri);
    if (known !== undefined) return known;
    const hint = build(uri, hintOf(watch, event));
    alike.set(uri, hint);
    return hint;
  }

  /** Calls `tell` in a moment, once however often it was asked for. One timer for all who wait. */
  later(tell: () => void): void {
    this.#waiting.add(tell);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      this.#turns.begin(Symbol(), tellEach(waiting));
    }, this.#merge_ms).unref();
  }
}

function* tellEach(waiting: readonly (() => void)[]): Generator<void> {
  for (const tell of waiting) yield tell();
}

function build(uri: string, payload: object | null): Hint | null {
  if (payload === null) return null;
  const hint = new Hint(uri, payload);
  return hint.bytes > MAX_HINT_BYTES ? bareHint(uri) : hint;
}

const members = (payload: object, prefix: string): string[] =>
  Object.entries(payload)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(prefix + name)}:${JSON.stringify(value)}`);
