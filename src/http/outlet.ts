import type { ServerResponse } from "node:http";
import { Turns } from "../turns.ts";

/** What is kept at most for a reader that does not read. */
export const MAX_BUFFERED = 256 * 1024;

/** How often between two keep-alives stalled readers are looked for. */
const TICKS = 3;
const KEEP_ALIVE = Buffer.from(": keep-alive\n\n");

const SSE_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  Connection: "keep-alive",
  // Without it nginx holds events back until a buffer is full.
  "X-Accel-Buffering": "no",
} as const;

export type Frame = string | Buffer;

export interface Timing {
  keep_alive_ms: number;
  /** How long a reader may leave what was written unread. */
  stalled_ms: number;
}

/** The open streams of one door, with the one timer that keeps them alive and drops the dead ones, a few at a time. */
export class Outlets implements Disposable {
  readonly #timing: Timing;
  readonly #open = new Set<Outlet>();
  readonly #turns = new Turns<Outlets>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(timing: Timing = { keep_alive_ms: 15_000, stalled_ms: 30_000 }) {
    this.#timing = timing;
  }

  add(outlet: Outlet): void {
    this.#open.add(outlet);
    this.#timer ??= setInterval(() => this.#tick(), this.#timing.keep_alive_ms / TICKS).unref();
  }

  remove(outlet: Outlet): void {
    this.#open.delete(outlet);
    if (this.#open.size === 0) this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (this.#turns.isBusy(this)) return;
    this.#ticks += 1;
    this.#turns.begin(this, this.#tickAll(this.#ticks % TICKS === 0));
  }

  /** Those that close meanwhile are passed over. */
  *#tickAll(keep_alive: boolean): Generator<void> {
    const stalled_before = performance.now() - this.#timing.stalled_ms;
    for (const outlet of this.#open) {
      outlet.tick(stalled_before, keep_alive);
      yield;
    }
  }
}

/**
 * The bounded way out to one reader of an event stream. While the socket drains everything
 * is written at once. While it does not, hints are merged by key, the latest without its
 * payload, and follow on drain; a reader that leaves them unread is dropped. Nothing waits
 * for it and it never costs more than `MAX_BUFFERED`.
 */
export class Outlet {
  /** Told once, whoever ended it. `dropped` is a reader that did not read. */
  onclose: ((why: "ended" | "dropped") => void) | undefined;
  /** Told when there is room again after `write` returned false. */
  ondrain: (() => void) | undefined;

  readonly #response: ServerResponse;
  readonly #outlets: Outlets;
  #opened = false;
  #closed = false;
  #dropped = false;
  #stalled_at: number | undefined;
  #merged: Map<string, Frame> | undefined;

  constructor(response: ServerResponse, outlets: Outlets) {
    this.#response = response;
    this.#outlets = outlets;
    response.on("drain", () => this.#drained());
    response.on("close", () => this.#gone());
    outlets.add(this);
    if (response.destroyed) queueMicrotask(() => this.#gone());
  }

  get closed(): boolean {
    return this.#closed;
  }

  get opened(): boolean {
    return this.#opened;
  }

  /** The reader has more before it than it takes. */
  get stalled(): boolean {
    return this.#stalled_at !== undefined;
  }

  /** Sends the headers and the first frame. Hints that came before follow it. */
  open(headers: Record<string, string> = {}, first?: Frame): void {
    if (this.#closed) return;
    this.#response.writeHead(200, { ...SSE_HEADERS, ...headers });
    this.#opened = true;
    if (first === undefined) this.#response.flushHeaders();
    else this.#put(first);
    this.#flush();
  }

  /** For what must arrive. False when the reader lags: send no more before `ondrain`. */
  write(frame: Frame): boolean {
    if (this.#closed) return false;
    if (this.stalled && this.#response.writableLength + Buffer.byteLength(frame) > MAX_BUFFERED) {
      this.drop();
      return false;
    }
    return this.#put(frame);
  }

  /** For what may be merged. `bare` is what is left of it when it has to wait. */
  hint(key: string, frame: Frame, bare: () => Frame): void {
    if (this.#closed) return;
    if (this.#opened && !this.stalled) this.#put(frame);
    else this.#remember(key, bare);
  }

  end(last?: Frame): void {
    if (this.#closed) return;
    if (last === undefined) this.#response.end();
    else this.#response.end(last);
    this.#gone();
  }

  /** At once, without a goodbye. */
  destroy(): void {
    this.#response.destroy();
    this.#gone();
  }

  drop(): void {
    this.#dropped = true;
    this.destroy();
  }

  tick(stalled_before: number, keep_alive: boolean): void {
    if (this.#stalled_at !== undefined && this.#stalled_at < stalled_before) this.drop();
    else if (keep_alive && this.#opened && !this.stalled) this.#put(KEEP_ALIVE);
  }

  #put(frame: Frame): boolean {
    if (this.#response.write(frame)) return true;
    this.#stalled_at ??= performance.now();
    return false;
  }

  #remember(key: string, bare: () => Frame): void {
    this.#merged ??= new Map();
    if (!this.#merged.has(key)) this.#merged.set(key, bare());
  }

  #drained(): void {
    this.#stalled_at = undefined;
    this.#flush();
    if (!this.stalled) this.ondrain?.();
  }

  #flush(): void {
    const merged = this.#merged;
    this.#merged = undefined;
    for (const frame of merged?.values() ?? []) this.#put(frame);
  }

  #gone(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#merged = undefined;
    this.#outlets.remove(this);
    this.onclose?.(this.#dropped ? "dropped" : "ended");
  }
}
