import { getContext, setContext } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { onKept, recall } from "#lib/hub/kept.ts";
import type { Message } from "#lib/hub/types.ts";
import { followChat } from "$client/index.ts";

/** The last thing said in each chat, and whether it was seen. */
export class Glances {
  #last = $state.raw<ReadonlyMap<string, Message>>(new Map());
  #seen = $state.raw<ReadonlyMap<string, string | null>>(new Map());
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  /** Returns the way to stop. */
  follow(agents: readonly string[]): () => void {
    this.#seen = new Map(agents.map((agent) => [agent, recall(`seen:${agent}`)]));
    const stops = agents.map((agent) =>
      followChat(this.#hub.client, {
        agent,
        newest: 1,
        messages: (messages, { reset }) => {
          const last = messages.at(-1);
          if (!last && !reset) return;
          const all = new Map(this.#last);
          if (last) all.set(agent, last);
          // The hub was restored, and has nothing of it any more.
          else all.delete(agent);
          this.#last = all;
        },
      }),
    );
    stops.push(
      onKept((name, value) => {
        if (name.startsWith("seen:")) this.#seen = new Map(this.#seen).set(name.slice(5), value);
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }

  last(agent: string): Message | undefined {
    return this.#last.get(agent);
  }

  isNew(agent: string): boolean {
    const last = this.#last.get(agent);
    return last?.author === "assistant" && Number(last.id) > Number(this.#seen.get(agent) ?? 0);
  }
}

const KEY = Symbol("glances");
export const provideGlances = (hub: Hub): Glances => setContext(KEY, new Glances(hub));
export const useGlances = (): Glances => getContext<Glances>(KEY);
