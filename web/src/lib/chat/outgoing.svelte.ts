import { isRecord } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { personal } from "#lib/hub/kept.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Message, Tools } from "#lib/hub/types.ts";
import { HubError, newKey } from "$client/index.ts";
import type { Pending } from "./rows.ts";

/** What is sent needs of the hub. */
export type OutgoingHub = Pick<Hub, "client" | "me" | "live">;

/** The conversation, while it is shown. */
interface OpenChat {
  messages(): readonly Message[];
  /** The hub has confirmed these. */
  add(messages: readonly Message[]): void;
}

/**
 * What this tab has sent in one chat and the hub has not confirmed. A reload in between leaves it to be tried again.
 * It outlives the view of the chat, so there is nothing derived in it that would end with a view.
 */
export class Outgoing {
  #pending = $state.raw<readonly Pending[]>([]);
  /** Why the last one failed, until one succeeds. */
  last_error = $state<string>();
  #chat = $state.raw<OpenChat>();
  readonly #hub: OutgoingHub;
  /** Whoever is signed in when an answer comes, it is this one's. */
  readonly #me: string;
  readonly #name: string;
  readonly #agent: string | undefined;
  /** Messages of which it is known what they are the copy of. */
  readonly #confirmed = new Set<string>();

  constructor(hub: OutgoingHub, agent: string | undefined) {
    this.#hub = hub;
    this.#agent = agent;
    this.#me = hub.me.principal;
    this.#name = `${unsentBy(this.#me)}${agent ?? ""}`;
    this.#pending = recallUnsent(this.#name);
  }

  /** This is where it is said from now on. */
  join(chat: OpenChat): void {
    this.#chat = chat;
  }

  get sending(): boolean {
    return this.#pending.some(({ state }) => state === "sending");
  }

  /** Without those whose copy came before the answer did. */
  get shown(): readonly Pending[] {
    const copies = new Set<string>();
    return this.#pending.filter((pending) => {
      const copy = this.#copyOf(pending, copies);
      if (copy) copies.add(copy.id);
      return !copy;
    });
  }

  async send(content: string, after_id: string | null): Promise<void> {
    // Behind what waits or is on its way: what is said stays in its order.
    this.#keep([...this.#pending, { key: newKey(), content, state: "waiting", after_id }]);
    await this.flush();
  }

  /** Sends what waits, one after the other, as long as the hub is there and nobody else has signed in. */
  async flush(): Promise<void> {
    const { client } = this.#hub;
    while (this.#hub.live && client === this.#hub.client && !this.sending) {
      const waiting = this.#pending.find(({ state }) => state === "waiting");
      if (!waiting) break;
      await this.#post(waiting);
    }
  }

  /** With the same key: if it arrived after all, this finds out instead of saying it twice. */
  async retry(key: string): Promise<void> {
    const failed = this.#pending.find((pending) => pending.key === key && pending.state === "failed");
    if (!failed) return;
    const { problem: _, ...rest } = failed;
    await this.#post(rest);
    await this.flush();
  }

  /** Gives the text back to be changed. */
  discard(key: string): string {
    const content = this.#pending.find((pending) => pending.key === key)?.content ?? "";
    this.#replace(key, undefined);
    return content;
  }

  async #post(pending: Pending): Promise<void> {
    const { key, content } = pending;
    this.#replace(key, { ...pending, state: "sending" });
    const input: Tools["chat_human_post"]["input"] = { content, mime: "text/markdown" };
    if (this.#agent !== undefined) input.agent = this.#agent;
    try {
      const { id, ts } = await this.#hub.client.call("chat_human_post", input, { key });
      this.#confirmed.add(id);
      this.#replace(key, undefined);
      this.last_error = undefined;
      this.#chat?.add([{ id, ts, author: "user", author_principal: this.#me, mime: "text/markdown", content }]);
    } catch (error) {
      if (error instanceof HubError && error.passing && !this.#hub.live) {
        this.#replace(key, { ...pending, state: "waiting" });
        return;
      }
      const problem = sentenceOf(error);
      this.#replace(key, { ...pending, state: "failed", problem });
      this.last_error = problem;
    }
  }

  /**
   * The first own message with that text that came after it was sent and is nobody else's. The first, since what is sent
   * later can only be found further on.
   */
  #copyOf({ content, after_id }: Pending, taken: ReadonlySet<string>): Message | undefined {
    const after = Number(after_id ?? 0);
    const messages = this.#chat?.messages() ?? [];
    let copy: Message | undefined;
    for (let at = messages.length - 1; at >= 0; at -= 1) {
      const message = messages[at];
      if (!message || Number(message.id) <= after) break;
      const own = message.author === "user" && message.author_principal === this.#me;
      const free = !taken.has(message.id) && !this.#confirmed.has(message.id);
      if (own && free && message.content === content) copy = message;
    }
    return copy;
  }

  #replace(key: string, by: Pending | undefined): void {
    this.#keep(this.#pending.flatMap((pending) => (pending.key === key ? (by ? [by] : []) : [pending])));
  }

  #keep(pending: readonly Pending[]): void {
    this.#pending = pending;
    keepUnsent(this.#name, pending);
  }
}

const unsentBy = (principal: string): string => `parley:${personal(principal, "unsent:")}`;

/** In whose chats this person has said something, in this tab, that the hub has not confirmed. */
export function unsentChats(principal: string): (string | undefined)[] {
  const beginning = unsentBy(principal);
  try {
    const names = Array.from({ length: sessionStorage.length }, (_, at) => sessionStorage.key(at) ?? "");
    const unsent = names.filter((name) => name.startsWith(beginning));
    return unsent.map((name) => name.slice(beginning.length) || undefined);
  } catch {
    // Switched off: nothing is kept.
    return [];
  }
}

/** For this tab alone: another one would say it a second time. */
function keepUnsent(name: string, pending: readonly Pending[]): void {
  try {
    if (pending.length === 0) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(pending));
  } catch {
    // Switched off or full: it is still on the screen.
  }
}

function recallUnsent(name: string): Pending[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? "[]");
    const problem = "The page was left before the hub answered.";
    if (!Array.isArray(kept)) return [];
    return kept.filter(isPending).map((one) => (one.state === "waiting" ? one : { ...one, state: "failed", problem }));
  } catch {
    return [];
  }
}

const isPending = (value: unknown): value is Pending =>
  isRecord(value) && typeof value.key === "string" && typeof value.content === "string" && "after_id" in value;
