import type { Cli } from "./cli.ts";
import type { Client } from "./client.ts";
import { defineCommand } from "./command.ts";
import { Failure } from "./failure.ts";
import { Bell, hints } from "./hints.ts";
import { type Message, type Page, shown } from "./message.ts";

const LONGEST_PAUSE_MS = 5_000;

export const tail = defineCommand({
  examples: ["chat tail", "chat tail --agent scout", "chat tail --after 1760000000000000 --json"],
  details:
    "Goes on through restarts of the hub, without missing or repeating a message. With --json one message a line.",
  options: {
    agent: { type: "text", value: "NAME", description: "whose chat (default: the default agent of the space)" },
    after: { type: "text", value: "ID", description: "begin after this message" },
    lines: {
      type: "integer",
      short: "n",
      value: "N",
      minimum: 0,
      maximum: 200,
      description:
        "without --after: how many earlier messages to show first (default: 10, and all of them with --json)",
    },
  },
  async run(cli, { agent, after, lines = cli.out.json ? undefined : 10 }) {
    const position = new Position(cli, agent, after);
    let client: Client | undefined = await cli.connect();
    if (after === undefined && lines !== undefined) await position.skipTo(client, lines);
    for (let pause_ms = 100; ; pause_ms = Math.min(pause_ms * 2, LONGEST_PAUSE_MS)) {
      if (client && (await followed(client, position))) pause_ms = 100;
      await new Promise((done) => setTimeout(done, pause_ms));
      // It may be back on another port. It is not started from here: somebody may have stopped it on purpose.
      client = cli.find();
    }
  },
});

/** Until the connection ends. False if there was none. */
async function followed(client: Client, position: Position): Promise<boolean> {
  let opened = false;
  try {
    const bell = new Bell();
    // Listen first, then read: what is posted in between rings the bell.
    using _stream = await hints(client, "chat", bell);
    opened = true;
    do await position.catchUp(client);
    while (await bell.rung());
  } catch (error) {
    if (!isTemporary(error)) throw error;
  }
  return opened;
}

/** How far we have read. The truth about what was printed, whatever the stream says. */
class Position {
  readonly #cli: Cli;
  readonly #agent: string | undefined;
  #after: string | undefined;

  constructor(cli: Cli, agent: string | undefined, after: string | undefined) {
    this.#cli = cli;
    this.#agent = agent;
    this.#after = after;
  }

  /** Shows the last few, and goes on from there. */
  async skipTo(client: Client, lines: number): Promise<void> {
    const uri = this.#agent ? `ui://chat/${encodeURIComponent(this.#agent)}/inbox` : "ui://chat/inbox";
    const { last_id, messages } = await client.resource<Pick<Page, "last_id" | "messages">>(uri);
    for (const message of messages.slice(Math.max(0, messages.length - lines))) await this.#print(message);
    this.#after = last_id ?? undefined;
  }

  async catchUp(client: Client): Promise<void> {
    for (let more = true; more; ) {
      const page: Page = await client.call("chat_read_since", {
        ...(this.#after && { after_id: this.#after }),
        ...(this.#agent && { agent: this.#agent }),
      });
      for (const message of page.messages) await this.#print(message);
      more = page.has_more;
    }
  }

  async #print(message: Message): Promise<void> {
    await this.#cli.out.write(this.#cli.out.json ? JSON.stringify(message) : shown(message, this.#cli.out));
    this.#after = message.id;
  }
}

/** Worth waiting for: the hub is away, or asks for patience. */
const isTemporary = (error: unknown): boolean =>
  error instanceof Failure &&
  ["HUB_UNREACHABLE", "SHUTTING_DOWN", "STORAGE_UNAVAILABLE", "OUTCOME_UNKNOWN", "RATE_LIMITED"].includes(error.code);
