import { randomUUID } from "node:crypto";
import { Backoff } from "../../client/backoff.ts";
import { type Client, HubError } from "../../client/index.ts";
import type { Permission, PermissionRequest } from "../../mcp/stdio/channel.ts";
import { plain, plainLine } from "../core/envelope.ts";
import { createPersist, Over, pauseFor } from "./session.ts";
import { shortened } from "./text.ts";

interface Options {
  client: Client;
  /** Who asks. */
  agent: Promise<string>;
  /** What led to it, if that is known. */
  cause: () => string | undefined;
  permit: (permission: Permission) => Promise<void>;
  note: (text: string) => void;
}

const EXPIRES_SECONDS = 3600;
/** The terminal may have answered, which nobody tells us: the oldest make room. */
const MOST_PENDING = 10;
const WAIT_SECONDS = 25;
/** Both fit into the text of a notice. */
const MOST_ABOUT = 1500;
const MOST_INPUT = 5500;
/** Clients kill a server that is still there after four seconds. */
const LAST_WORDS_MS = 3500;

/**
 * Asks the people of the space what a client asks its own user: whoever answers first, here or at the terminal, has
 * answered. Nothing is ever allowed by silence, by an error or by an answer to another question.
 */
export class PermissionRelay {
  readonly #options: Options;
  readonly #pending = new Map<string, AbortController>();
  readonly #working = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  ask(request: PermissionRequest): void {
    const { request_id } = request;
    if (this.#stopped || this.#pending.has(request_id)) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= MOST_PENDING) this.#drop(oldest);
    const stop = new AbortController();
    this.#pending.set(request_id, stop);
    const work = this.#relay(request, stop.signal)
      .catch((error: unknown) => {
        // The terminal still asks: a question that did not get through costs nothing but the way to it.
        if (!(error instanceof Over)) this.#options.note(`A permission could not be asked for: ${String(error)}`);
      })
      .finally(() => {
        if (this.#pending.get(request_id) === stop) this.#pending.delete(request_id);
        this.#working.delete(work);
      });
    this.#working.add(work);
  }

  #drop(request_id: string): void {
    this.#pending.get(request_id)?.abort();
    this.#pending.delete(request_id);
  }

  /** The client has gone: nobody is to be asked on its behalf. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#pending.values()) stop.abort();
    await Promise.race([Promise.all(this.#working), new Promise((done) => setTimeout(done, LAST_WORDS_MS).unref())]);
  }

  async #relay(request: PermissionRequest, signal: AbortSignal): Promise<void> {
    const { client, agent, permit } = this.#options;
    // Before anything else is shown.
    const cause = this.#options.cause();
    const notice = noticeOf(request, await agent);
    const persist = createPersist(client, signal);
    // Of its own key, whatever the request is called: an old answer must not answer a new question.
    const { id } = await persist(() => client.call("notice_raise", notice, { cause }));
    try {
      const choice = await this.#answer(id, signal);
      const { request_id } = request;
      if (choice === "allow" || choice === "deny") await permit({ request_id, behavior: choice });
    } catch (error) {
      if (error instanceof Over) await client.call("notice_withdraw", { id }).catch(this.#forgive);
      throw error;
    }
  }

  /** Undefined when it expired or was taken back. */
  async #answer(id: string, signal: AbortSignal): Promise<string | null | undefined> {
    const { client } = this.#options;
    const persist = createPersist(client, signal);
    const backoff = new Backoff(client.pace);
    const over = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Over("nobody waits for it")), { once: true });
    });
    for (;;) {
      const waiting = persist(() => client.call("notice_wait", { id, wait_seconds: WAIT_SECONDS }));
      const { state, choice } = await Promise.race([waiting, over]);
      if (state !== "open") return state === "answered" ? choice : undefined;
      // A hub that is about to stop answers at once.
      await pauseFor(Math.min(backoff.next(), 1000), signal);
    }
  }

  /** It expires by itself. */
  readonly #forgive = (error: unknown): void => {
    if (!(error instanceof HubError)) throw error;
  };
}

function noticeOf({ request_id, tool_name, description, input_preview }: PermissionRequest, agent: string) {
  const name = plainLine(tool_name);
  const tool = name.length > 80 ? `${name.slice(0, 79)}…` : name;
  const [about, input] = [plain(description), plain(input_preview)];
  // What is not shown whole is not allowed from here.
  const whole = tool === name && about.length <= MOST_ABOUT && input.length <= MOST_INPUT;
  const parts = [
    whole
      ? `${agent} asks to use ${tool}. The first answer counts, here or at its terminal.`
      : `${agent} asks to use ${tool}. It is too long to be shown here: only its terminal can allow it.`,
    shortened(about, MOST_ABOUT, "the terminal shows all"),
    shortened(input, MOST_INPUT, "the terminal shows all"),
  ];
  return {
    key: `permission ${request_id} ${randomUUID()}`,
    kind: "permission",
    title: `${agent} asks: may it use ${tool}?`,
    text: parts.filter((part) => part.trim() !== "").join("\n\n"),
    choices: whole ? ["allow", "deny"] : ["deny", "leave-it-to-the-terminal"],
    expires_seconds: EXPIRES_SECONDS,
  };
}
