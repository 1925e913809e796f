import type { Me } from "#lib/hub/hub.svelte.ts";
import type { Message } from "#lib/hub/types.ts";
import { type Client, createClient, type HttpRequest, type HttpResponse, type Transport } from "$client/index.ts";
import { messageOf } from "./messages.ts";

/** What becomes of a post on its way. */
export type Fate = "fine" | "late" | "lost" | "refused";

const ME = "ana";
const PACE = { first_ms: 1, most_ms: 4 };

/** A network with one agent's chat at its other end, as far as a page asks about it. */
export class ChatNetwork {
  readonly messages: Message[] = [];
  readonly me: Me = { principal: ME, kind: "human", roles: ["human"], space: "main", agent: null };
  readonly client: Client;
  /** Whether the page knows the hub to be there. */
  live = true;
  /** Asked once for each post. */
  fate: () => Fate = () => "fine";
  /** Which tools were called, in order. */
  readonly calls: string[] = [];
  epoch = "first";
  /** Up to where each chat was read. */
  readonly marks = new Map<string, string>();
  /** Whether what is asked of marks gets no answer. */
  away = false;
  readonly #streams = new Set<(text: string) => void>();
  readonly #keys = new Map<string, Message>();
  readonly #late = new Set<() => void>();
  #next_id = 1000;

  constructor() {
    this.client = createClient({ transport: this.#transport, pace: PACE });
  }

  /** A resource that never changes. */
  follow(): () => void {
    return () => {};
  }

  say(content: string, more: Partial<Message> = {}): Message {
    const message = messageOf(this.#next_id, { content, ...more });
    this.#next_id += 7;
    this.messages.push(message);
    for (const stream of this.#streams) stream(hint);
    return message;
  }

  /** Lets the answers come that were late. */
  release(): void {
    for (const answer of this.#late) answer();
    this.#late.clear();
  }

  readonly #transport: Transport = async (request) => {
    const { method, params } = JSON.parse(request.body ?? "");
    if (method === "subscriptions/listen") return this.#listen(request, params.notifications.resourceSubscriptions);
    this.calls.push(params.name);
    const result = await this.#call(params.name, params.arguments);
    return result
      ? answer(200, { jsonrpc: "2.0", id: 1, result: { structuredContent: result } })
      : answer(403, REFUSED);
  };

  /** Undefined for what is refused. */
  async #call(name: string, args: { [name: string]: string | number | null }): Promise<object | undefined> {
    if (name === "chat_human_post") return this.#post(String(args.content), String(args.idempotency_key));
    if (name === "chat_read_marks" || name === "chat_mark_read") return this.#mark(args);
    const limit = Number(args.limit);
    const forwards = name === "chat_read_since";
    const edge = Number((forwards ? args.after_id : args.before_id) ?? (forwards ? 0 : Number.POSITIVE_INFINITY));
    const all = this.messages.filter(({ id }) => (forwards ? Number(id) > edge : Number(id) < edge));
    const messages = forwards ? all.slice(0, limit) : all.slice(-limit);
    const last_id = messages.at(-1)?.id ?? (forwards ? args.after_id : null);
    return { messages, last_id, has_more: all.length > messages.length, epoch: this.epoch };
  }

  #mark({ agent, id }: { [name: string]: string | number | null }): object {
    if (this.away) throw new Error("nobody answers");
    if (id !== undefined) this.marks.set(String(agent), String(id));
    return { agent, read_id: id, marks: [...this.marks].map(([agent, read_id]) => ({ agent, read_id })) };
  }

  async #post(content: string, key: string): Promise<object | undefined> {
    const fate = this.fate();
    if (fate === "refused") return undefined;
    const own = { author: "user", author_principal: ME } as const;
    const stored = this.#keys.get(key) ?? this.say(content, own);
    this.#keys.set(key, stored);
    if (fate === "lost") throw new Error("the answer was lost");
    if (fate === "late") await new Promise<void>((resolve) => this.#late.add(resolve));
    return { id: stored.id, ts: stored.ts };
  }

  #listen({ signal }: HttpRequest, uris: readonly string[]): HttpResponse {
    const body = (take: (text: string) => void): Promise<void> =>
      new Promise((_, reject) => {
        take(frame("notifications/subscriptions/acknowledged", { notifications: { resourceSubscriptions: uris } }));
        this.#streams.add(take);
        signal?.addEventListener("abort", () => {
          this.#streams.delete(take);
          reject(new Error("aborted"));
        });
      });
    return { status: 200, type: "text/event-stream", date: undefined, body };
  }
}

const REFUSED = { error: "Not today.", code: "FORBIDDEN" };

const frame = (method: string, params: object): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`;
const hint = frame("notifications/resources/updated", { uri: "ui://chat/scout/messages" });

const answer = (status: number, body: object): HttpResponse => ({
  status,
  type: "application/json",
  date: undefined,
  body: async (take) => take(JSON.stringify(body)),
});
