import type { Message } from "./message.ts";

/**
 * What a client asked to be told by name. It keeps the id that it was given first; behind that there is one of the hub's
 * after the other, as sessions are.
 */
export class Followed {
  readonly #asked = new Map<string, { params: Message["params"]; id: string }>();

  get size(): number {
    return this.#asked.size;
  }

  /** As the hub of today knows what the client names. */
  translated(message: Message): Message {
    const known = this.#of(message);
    return known ? { ...message, params: { ...message.params, subscription_id: known.id } } : message;
  }

  /** What came of a message of the client. */
  note(message: Message, { result }: Message): void {
    if (result === undefined) return;
    const id = result.subscription_id;
    if (message.method === "notifications/subscribe" && typeof id === "string")
      this.#asked.set(id, { params: message.params, id });
    if (this.#of(message)) this.#asked.delete(String(message.params?.subscription_id));
  }

  /** Asks for all of it once more. */
  async renew(ask: (message: Omit<Message, "id">) => Promise<Message | undefined>): Promise<void> {
    for (const asked of this.#asked.values()) {
      const { params } = asked;
      const answer = await ask({ jsonrpc: "2.0", method: "notifications/subscribe", ...(params && { params }) });
      const id = answer?.result?.subscription_id;
      if (typeof id === "string") asked.id = id;
    }
  }

  #of({ method, params }: Message): { id: string } | undefined {
    return method === "notifications/unsubscribe" ? this.#asked.get(String(params?.subscription_id)) : undefined;
  }
}
