import { getContext, setContext } from "svelte";
import { Outgoing, type OutgoingHub, unsentChats } from "./outgoing.svelte.ts";

/** What this tab has still to say, chat by chat. It goes when the hub is back, whatever is open by then. */
export class Outbox {
  readonly #chats = new Map<string, Outgoing>();
  readonly #hub: OutgoingHub;

  constructor(hub: OutgoingHub) {
    this.#hub = hub;
  }

  /** One for each chat of each person: two would send the same. */
  of(agent: string | undefined): Outgoing {
    const name = JSON.stringify([this.#hub.me.principal, agent]);
    const outgoing = this.#chats.get(name) ?? new Outgoing(this.#hub, agent);
    this.#chats.set(name, outgoing);
    return outgoing;
  }

  /** The hub is there: what waited for it is said. */
  async flush(): Promise<void> {
    await Promise.all(unsentChats(this.#hub.me.principal).map((agent) => this.of(agent).flush()));
  }
}

const KEY = Symbol("outbox");
export const provideOutbox = (hub: OutgoingHub): Outbox => setContext(KEY, new Outbox(hub));
export const useOutbox = (): Outbox => getContext<Outbox>(KEY);
