import { getContext, setContext } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Live } from "#lib/live/live.ts";
import type { Marks } from "./marks.svelte.ts";

type Chats = Tools["chat_list"]["output"]["chats"];
type Last = NonNullable<Chats[number]["last"]>;

/** The last thing said in each chat, and whether it was read: one read for all of them, whoever said something. */
export class Glances {
  #last = $state.raw<ReadonlyMap<string, Last>>(new Map());
  readonly #hub: Hub;
  readonly #marks: Marks;

  constructor(hub: Hub, marks: Marks) {
    this.#hub = hub;
    this.#marks = marks;
  }

  /** Returns the way to stop. */
  follow(agents: readonly string[]): () => void {
    const uris = agents.map((agent) => `ui://chat/${encodeURIComponent(agent)}/messages`);
    // A list without its last lines is still a list; that the hub is away, the banner says.
    const live = new Live(
      this.#hub,
      uris,
      () => this.#read(),
      () => {},
    );
    return () => live.stop();
  }

  last(agent: string): Last | undefined {
    return this.#last.get(agent);
  }

  isNew(agent: string): boolean {
    const last = this.#last.get(agent);
    return last?.author === "assistant" && Number(last.id) > Number(this.#marks.of(agent) ?? 0);
  }

  async #read(): Promise<void> {
    const { client } = this.#hub;
    const { chats } = await client.call("chat_list", {});
    if (client !== this.#hub.client) return;
    this.#last = new Map(chats.flatMap(({ agent, last }) => (last ? [[agent, last] as const] : [])));
    // Whoever was told of it in another browser may have read it there.
    this.#marks.hear(chats);
  }
}

const KEY = Symbol("glances");
export const provideGlances = (hub: Hub, marks: Marks): Glances => setContext(KEY, new Glances(hub, marks));
export const useGlances = (): Glances => getContext<Glances>(KEY);
