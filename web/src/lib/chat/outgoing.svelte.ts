import { isRecord } from "#lib/hub/contents.ts";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { personal } from "#lib/hub/kept.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Message, Tools } from "#lib/hub/types.ts";
import { newKey } from "$client/index.ts";
import type { Pending } from "./rows.ts";

/** What this tab has sent and the hub has not confirmed. A reload in between leaves it to be tried again. */
export class Outgoing {
  #pending = $state.raw<readonly Pending[]>([]);
  /** Why the last one failed, until one succeeds. */
  last_error = $state<string>();
  readonly sending = $derived(this.#pending.some(({ state }) => state === "sending"));
  readonly #hub: Pick<Hub, "client" | "me">;
  /** Whoever is signed in when an answer comes, it is this one's. */
  readonly #me: string;
  readonly #name: string;
  readonly #agent: string | undefined;
  readonly #messages: () => readonly Message[];
  /** Messages of which it is known what they are the copy of. */
  readonly #confirmed = new Set<string>();

  constructor(hub: Pick<Hub, "client" | "me">, agent: string | undefined, messages: () => readonly Message[]) {
    this.#hub = hub;
    this.#agent = agent;
    this.#messages = messages;
    this.#me = hub.me.principal;
    this.#name = `parley:${personal(this.#me, `unsent:${agent ?? ""}`)}`;
    this.#pending = recallUnsent(this.#name);
  }

  /** Without those whose copy came before the answer did. */
  readonly shown = $derived.by(() => {
    const copies = new Set<string>();
    return this.#pending.filter((pending) => {
      const copy = this.#copyOf(pending, copies);
      if (copy) copies.add(copy.id);
      return !copy;
    });
  });

  send(content: string, after_id: string | null): Promise<Message[]> {
    const pending: Pending = { key: newKey(), content, state: "sending", after_id };
    this.#keep([...this.#pending, pending]);
    return this.#post(pending);
  }

  /** With the same key: if it arrived after all, this finds out instead of saying it twice. */
  async retry(key: string): Promise<Message[]> {
    const failed = this.#pending.find((pending) => pending.key === key && pending.state === "failed");
    if (!failed) return [];
    const { problem: _, ...rest } = failed;
    const pending: Pending = { ...rest, state: "sending" };
    this.#replace(key, pending);
    return this.#post(pending);
  }

  /** Gives the text back to be changed. */
  discard(key: string): string {
    const content = this.#pending.find((pending) => pending.key === key)?.content ?? "";
    this.#replace(key, undefined);
    return content;
  }

  async #post(pending: Pending): Promise<Message[]> {
    const { key, content } = pending;
    const input: Tools["chat_human_post"]["input"] = { content, mime: "text/markdown" };
    if (this.#agent !== undefined) input.agent = this.#agent;
    try {
      const { id, ts } = await this.#hub.client.call("chat_human_post", input, { key });
      this.#confirmed.add(id);
      this.#replace(key, undefined);
      this.last_error = undefined;
      return [{ id, ts, author: "user", author_principal: this.#me, mime: "text/markdown", content }];
    } catch (error) {
      const problem = sentenceOf(error);
      this.#replace(key, { ...pending, state: "failed", problem });
      this.last_error = problem;
      return [];
    }
  }

  /**
   * The first own message with that text that came after it was sent and is nobody else's. The first, since what is sent
   * later can only be found further on.
   */
  #copyOf({ content, after_id }: Pending, taken: ReadonlySet<string>): Message | undefined {
    const after = Number(after_id ?? 0);
    const messages = this.#messages();
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
    return Array.isArray(kept) ? kept.filter(isPending).map((one) => ({ ...one, state: "failed", problem })) : [];
  } catch {
    return [];
  }
}

const isPending = (value: unknown): value is Pending =>
  isRecord(value) && typeof value.key === "string" && typeof value.content === "string" && "after_id" in value;
