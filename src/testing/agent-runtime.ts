import type { TestHub } from "./hub.ts";

export interface Logged {
  id: string;
  type: string;
  chat_id: string;
  content: string;
}

/** A runtime as small as it gets, over HTTP: what it has, and what it asks. */
export class Consumer {
  readonly events: Logged[] = [];
  readonly #hub: TestHub;
  readonly #token: string;
  fence = 0;
  after_id: string | null = null;
  #keys = 0;

  constructor(hub: TestHub, token: string) {
    this.#hub = hub;
    this.#token = token;
  }

  async start() {
    const { body } = await this.#hub.call(this.#token, "runtime_start", { driver: "scripted" });
    this.fence = body.fence;
    this.after_id = body.after_id;
    return body;
  }

  async next(wait_seconds = 0) {
    const { fence, after_id } = this;
    const { body } = await this.#hub.call(this.#token, "runtime_next", { fence, after_id, wait_seconds });
    this.events.push(...(body.events ?? []));
    this.after_id = body.events?.at(-1)?.id ?? this.after_id;
    return body;
  }

  /** All that came. */
  async drain(): Promise<string[]> {
    while ((await this.next()).has_more);
    return this.events.map(({ content }) => content);
  }

  record(turn_id: string | undefined, ...events: object[]) {
    return this.#hub.call(this.#token, "runtime_record", { fence: this.fence, turn_id, events });
  }

  /** Each with a key of its own. */
  async tell(turn_id: string | undefined, ...events: object[]): Promise<string[]> {
    const keyed = events.map((event) => {
      this.#keys += 1;
      return { key: `${this.fence}.${this.#keys}`, ...event };
    });
    const { status, body } = await this.record(turn_id, ...keyed);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.ids;
  }

  async begin(): Promise<string> {
    const [turn_id = ""] = await this.tell(undefined, { type: "TurnStarted" });
    return turn_id;
  }

  async call(
    turn_id: string,
    call_id: string,
    { tool = "mail_inbox", args = {} }: { tool?: string; args?: object } = {},
  ) {
    await this.tell(turn_id, { type: "ToolCall", sample: 0, call_id, tool, arguments: JSON.stringify(args) });
  }

  async output(turn_id: string, call_id: string, output = "ok") {
    await this.tell(turn_id, { type: "ToolOutput", call_id, outcome: "done", output });
  }

  async end(turn_id: string, outcome = "finished", more: object = {}) {
    await this.tell(turn_id, { type: "TurnEnded", outcome, ...more });
  }
}
