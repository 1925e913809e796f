/** How many tabs that are seen hold a stream at a time, and how many that are not. */
const SEEN = ["parley:seen:1", "parley:seen:2", "parley:seen:3", "parley:seen:4"];
const UNSEEN = ["parley:unseen:1"];
const LOOK_MS = 5000;

interface Sleeper {
  wake(): void;
  sleep(): void;
  /** Wakes for a moment. */
  look(): void;
}

interface Slot {
  names: readonly string[];
  release(): void;
}

/**
 * Whether this tab may hold a stream. Without TLS a browser opens six connections to a host, for all its tabs together,
 * and a stream holds one for as long as it lives: with one each, the seventh tab would not even load.
 * - Four tabs that are seen have one. Beyond that a tab looks in every few seconds, and takes a place that is free.
 * - Of those that nobody sees one has one, so that going back and forth between two is seamless. The others sleep,
 *   and catch up when they are shown.
 */
export class StreamSlots {
  readonly #client: () => Sleeper;
  #slot: Slot | undefined;
  #arranging = false;
  #changed = false;
  #next: ReturnType<typeof setTimeout> | undefined;

  constructor(client: () => Sleeper) {
    this.#client = client;
    document.addEventListener("visibilitychange", () => this.arrange());
    this.arrange();
  }

  /** Call it for a client that is new. */
  arrange(): void {
    // At once: finding a place takes a moment, in which a tab that was opened in the background would take a seventh one.
    if (!isSeen() && !this.#slot) this.#client().sleep();
    this.#changed = true;
    if (!this.#arranging) void this.#settleAll();
  }

  /** One change at a time: shown and hidden quickly, the last one counts. */
  async #settleAll(): Promise<void> {
    this.#arranging = true;
    while (this.#changed) {
      this.#changed = false;
      clearTimeout(this.#next);
      await this.#settle();
    }
    this.#arranging = false;
  }

  async #settle(): Promise<void> {
    const seen = isSeen();
    const names = seen ? SEEN : UNSEEN;
    if (this.#slot?.names !== names) {
      const slot = await take(names);
      // Whoever is seen keeps the place it had rather than having none.
      if (slot || !seen) this.#slot?.release();
      if (slot || !seen) this.#slot = slot;
    }
    if (this.#slot) this.#client().wake();
    else if (!seen) this.#client().sleep();
    else {
      this.#client().look();
      this.#next = setTimeout(() => this.arrange(), LOOK_MS);
    }
  }
}

const isSeen = (): boolean => document.visibilityState === "visible";

/** Undefined when every one is taken. The browser gives it back when the tab ends, however it ends. */
async function take(names: readonly string[]): Promise<Slot | undefined> {
  // Missing in a page that came without TLS from elsewhere than this machine: then whoever is seen streams.
  if (!("locks" in navigator)) return isSeen() ? { names, release: () => {} } : undefined;
  for (const name of names) {
    const held = Promise.withResolvers<void>();
    const taken = new Promise<boolean>((resolve, reject) => {
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        resolve(lock !== null);
        return lock ? held.promise : undefined;
      };
      navigator.locks.request(name, { ifAvailable: true }, hold).catch(reject);
    });
    if (await taken) return { names, release: held.resolve };
  }
  return undefined;
}
