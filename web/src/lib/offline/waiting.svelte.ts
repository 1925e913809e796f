import { untrack } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { onKept } from "#lib/hub/kept.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { withTabLock } from "#lib/hub/tab-lock.ts";
import { HubError } from "$client/index.ts";
import { type Call, type Kept, WaitingStore } from "./waiting-store.ts";

type Client = Hub["client"];

/** What a section has wait: how it is told from what is not, how it is sent, and how it goes back to be changed. */
export interface Sending<C extends Call, Sent> {
  /** What its entries are kept by. */
  section: string;
  isCall: (value: Record<string, unknown>) => boolean;
  post: (client: Client, call: C) => Promise<Sent>;
  /** Puts it back where it was written. Gives the reason where that cannot be. */
  restore: (owner: string, call: C) => string | undefined;
}

const AGAIN_MS = 5000;
/** The hub knows a key for eight days. After that nobody can tell whether it was sent before. */
const MOST_MS = 7 * 86_400_000;
const TOO_OLD = "It has waited for more than a week and may have been sent before. Look at what was sent first.";

/**
 * Something that waits in this browser for a hub that is away, and goes by itself when it is back: in order, each once, as
 * whoever wrote it and nobody else.
 */
export class Waiting<C extends Call, Sent> {
  list = $state.raw<readonly Kept<C>[]>([]);
  /** The key of the one that is on its way. */
  sending = $state<string>();
  /** How many were taken back: whoever shows a draft has to look at it again. */
  taken = $state(0);
  readonly #hub: Pick<Hub, "client" | "live" | "phase">;
  readonly #kind: Sending<C, Sent>;
  readonly #listeners = new Set<(text: string) => void>();
  #running = false;
  #stopped = false;
  /** Ends the pause before another try. */
  #wake: (() => void) | undefined;

  constructor(hub: Pick<Hub, "client" | "live" | "phase">, kind: Sending<C, Sent>) {
    this.#hub = hub;
    this.#kind = kind;
    this.#read();
  }

  /** Returns the way to stop. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const store = this.#store;
        untrack(() => this.#read());
        return onKept((name) => {
          if (store && name.startsWith(store.beginning)) this.#read();
        });
      });
      $effect(() => {
        if (!this.#hub.live || !this.#next) return;
        this.#wake?.();
        void untrack(() => this.#run());
      });
      return () => {
        this.#stopped = true;
        this.#wake?.();
      };
    });
  }

  /** Told what became of it. Returns the way to stop. */
  listen(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Throws what the hub refused. What it was not there for is kept, behind what waits already. */
  async send(call: C): Promise<Sent | "kept"> {
    // Whoever is signed in by the time it turns out that the hub is away, it is this one's.
    const store = this.#store;
    const tried = this.#hub.live && !this.#next;
    if (tried)
      try {
        return await this.#kind.post(this.#hub.client, call);
      } catch (error) {
        if (!(error instanceof HubError && error.code === "HUB_UNREACHABLE")) throw error;
      }
    const at = Math.max(Date.now(), (this.list.at(-1)?.at ?? 0) + 1);
    if (!store?.put({ ...call, at, tried }))
      throw new Error("The hub is away and this browser cannot keep it. Send it when the hub is back.");
    this.#tell("Kept here. It is sent when the hub is back.");
    return "kept";
  }

  /** What the hub has refused, or what has waited for too long. */
  retry(key: string): void {
    const kept = this.#store?.find(key);
    if (kept) this.#store?.put({ ...kept, problem: undefined, at: Date.now() });
  }

  /** Back into its draft, to be changed. Gives the reason where it has to go on waiting. */
  async takeBack(key: string): Promise<string | undefined> {
    const taken =
      this.sending === key ? "busy" : await withTabLock(this.#lockOf(key), "exclusive", () => this.#takeBack(key));
    return taken === "busy" ? "It is being sent." : taken;
  }

  #takeBack(key: string): string | undefined {
    const [owner, store] = [this.#owner, this.#store];
    const kept = store?.find(key);
    if (owner === undefined || !kept) return "It is no longer here: another tab has sent it or taken it back.";
    const problem = this.#kind.restore(owner, kept);
    if (problem !== undefined) return problem;
    store?.remove(key);
    this.taken += 1;
    if (kept.tried) this.#tell("It may have been sent all the same. Look at what was sent before you send it again.");
    return undefined;
  }

  get #owner(): string | undefined {
    return this.#hub.phase.at === "in" ? this.#hub.phase.me.principal : undefined;
  }

  get #store(): WaitingStore<C> | undefined {
    const { section, isCall } = this.#kind;
    return this.#owner === undefined ? undefined : new WaitingStore(this.#owner, section, isCall);
  }

  /** Those who send it share it: the key makes it one, and a tab depends on nobody. Who takes it back is alone. */
  #lockOf(key: string): string {
    return `${this.#kind.section}:waiting:${key}`;
  }

  get #next(): Kept<C> | undefined {
    return this.list.find(({ problem }) => problem === undefined);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#next; next && this.#hub.live && !this.#stopped; next = this.#next) {
      this.sending = next.key;
      const then = await this.#attempt(next);
      this.sending = undefined;
      if (then === "end") break;
      if (then === "later") await this.#pause();
    }
    // In the same turn as the last look at what waits: what comes later begins another run.
    this.#running = false;
  }

  async #attempt({ key }: Kept<C>): Promise<"next" | "later" | "end"> {
    const [owner, store, { client }] = [this.#owner, this.#store, this.#hub];
    if (!store) return "end";
    try {
      // Somebody else may have signed in, in another tab: then the cookie is theirs, and it would go in their name.
      const { principal } = await client.call("whoami", {});
      if (principal !== owner) return "end";
      const then = await withTabLock(this.#lockOf(key), "shared", () => this.#sendKept(client, store, key));
      this.#read();
      return then === "busy" ? "later" : then;
    } catch (error) {
      // Nobody is signed in any more. It waits until they are.
      return error instanceof HubError && error.status === 401 ? "end" : "later";
    }
  }

  /** What is not to be sent by itself stays, with the reason. Throws what may pass. */
  async #sendKept(client: Client, store: WaitingStore<C>, key: string): Promise<"next" | "later"> {
    const kept = store.find(key);
    // Another tab has sent it, or taken it back.
    if (!kept) return "next";
    const stays = (problem: string, tried?: boolean) => (store.put({ ...kept, tried, problem }) ? "next" : "later");
    if (Date.now() - kept.at > MOST_MS) return stays(TOO_OLD, kept.tried);
    // Once: the other tabs are told of it, and try as well.
    if (!kept.tried) store.put({ ...kept, tried: true });
    try {
      await this.#kind.post(client, kept);
    } catch (error) {
      if (error instanceof HubError && (error.passing || error.status === 401)) throw error;
      // Of what it refuses the hub has done nothing, unless it has done something else by that key.
      return stays(sentenceOf(error), error instanceof HubError && error.code === "IDEMPOTENCY_CONFLICT");
    }
    store.remove(key);
    this.#tell("Sent.");
    return "next";
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, AGAIN_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  #read(): void {
    this.list = this.#store?.list() ?? [];
  }

  #tell(text: string): void {
    for (const listener of this.#listeners) listener(text);
  }
}
