import { getContext, setContext } from "svelte";
import type { GlanceParts, Message } from "#lib/hub/types.ts";
import type { Glance } from "#lib/live/glance.ts";
import type { Marks } from "./marks.svelte.ts";

type Last = NonNullable<GlanceParts["chats"]["chats"][number]["last"]>;

/** The last thing said in each chat, and whether it was read: one read for all of them, whoever said something. */
export class Glances {
  /** Whether the hub can store anything; undefined while that is not known. */
  ready = $state<boolean>();
  #last = $state.raw<ReadonlyMap<string, Last>>(new Map());
  /** Whose chat is open: what is said there is handed over by whoever reads it. */
  #open: string | undefined;
  readonly #marks: Marks;

  constructor(glance: Pick<Glance, "add">, marks: Marks) {
    this.#marks = marks;
    glance.add("chats", {
      take: ({ ready, chats, marks }) => {
        this.ready = ready;
        this.#last = new Map(chats.flatMap(({ agent, last }) => (last ? [[agent, last] as const] : [])));
        this.#marks.take(marks);
      },
      heeds: ({ anew, about }) => anew || this.#open === undefined || about.agent !== this.#open,
    });
  }

  /** That chat is read by somebody who tells of it. Returns the way to stop. */
  cover(agent: string): () => void {
    this.#open = agent;
    return () => {
      if (this.#open === agent) this.#open = undefined;
    };
  }

  /** What was said last in a chat. */
  hear(agent: string, { id, ts, author, content }: Message): void {
    if (Number(id) <= Number(this.#last.get(agent)?.id ?? 0)) return;
    this.#last = new Map(this.#last).set(agent, { id, ts, author, line: content });
  }

  last(agent: string): Last | undefined {
    return this.#last.get(agent);
  }

  isNew(agent: string): boolean {
    const last = this.#last.get(agent);
    return last?.author === "assistant" && Number(last.id) > Number(this.#marks.of(agent) ?? 0);
  }
}

const KEY = Symbol("glances");
export const provideGlances = (glance: Glance, marks: Marks): Glances => setContext(KEY, new Glances(glance, marks));
export const useGlances = (): Glances => getContext<Glances>(KEY);
