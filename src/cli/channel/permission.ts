import { type Client, HubError } from "../../client/index.ts";
import type { Permission, PermissionRequest } from "../../mcp/stdio/channel.ts";
import { elided, plain } from "../core/envelope.ts";
import { behaviorOf, permissionRequest, type Requested } from "../core/permission-request.ts";
import { createPersist, Over } from "./session.ts";

interface Options {
  client: Client;
  /** Resolves once it is known who asks. */
  agent: Promise<string>;
  /** What led to it, if that is known. */
  cause: () => string | undefined;
  permit: (permission: Permission) => Promise<void>;
  note: (text: string) => void;
}

/** The terminal may have answered, which nobody tells us: the oldest make room. */
const MOST_PENDING = 10;
const WAIT_SECONDS = 25;
/** Both fit into a card. */
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
    await agent;
    const persist = createPersist(client, signal);
    const requested = await persist(() => client.call("approval_request", requestOf(request), { cause }));
    try {
      const ask = () => client.call("approval_wait", { id: requested.id, wait_seconds: WAIT_SECONDS }, { signal });
      const answer = isDecided(requested) ? requested : await persist(ask, isDecided);
      const { request_id } = request;
      const behavior = behaviorOf(answer);
      if (behavior !== undefined) await permit({ request_id, behavior });
    } catch (error) {
      if (error instanceof Over) await client.call("approval_withdraw", { id: requested.id }).catch(this.#forgive);
      throw error;
    }
  }

  /** It expires by itself. */
  readonly #forgive = (error: unknown): void => {
    if (!(error instanceof HubError)) throw error;
  };
}

const isDecided = ({ state }: Requested): boolean => state !== "pending";

/** Its client shows a part of what the tool is used with, and that is all that is known here. */
function requestOf({ tool_name, description, input_preview }: PermissionRequest) {
  const [about, input] = [plain(description), plain(input_preview)];
  const hint = "the terminal shows all";
  return permissionRequest({
    ...{ server: "claude-code", tool_name, about: elided(about, MOST_ABOUT, hint) },
    given: { arguments: { preview: elided(input, MOST_INPUT, hint) }, covers: "preview" },
    is_whole: about.length <= MOST_ABOUT && input.length <= MOST_INPUT,
    verdicts: ["approve", "deny_continue"],
  });
}
