import { setTimeout as pause } from "node:timers/promises";
import { Backoff } from "../../client/backoff.ts";
import type { ToolSpec } from "../drivers/driver.ts";
import {
  argumentsOf,
  type CallContext,
  type Changed,
  failure,
  type Mounts,
  type ToolHint,
  type ToolResult,
} from "../toolset.ts";
import { FollowedResources } from "./followed.ts";
import type { MountSpec, RemoteTool, Server, ServerResources } from "./server.ts";

const PACE = { first_ms: 500, most_ms: 60_000 };
const STEADY_MS = 30_000;
const MOST_TOOLS = 300;
const MOST_SPEC = 64 * 1024;
const MOST_CHANGES = 200;
const ALIAS = /^[a-zA-Z0-9_-]{1,64}$/;

interface Parts {
  name: string;
  spec: MountSpec;
  /** Whose a tool's name is already, of the hub or of another mount. */
  takenBy: (alias: string) => string | undefined;
  changed: () => void;
  /** Which of its resources are followed already. */
  wanted: readonly string[];
  pace?: { first_ms: number; most_ms: number };
}

interface Known {
  remote: string;
  spec: ToolSpec;
  hints: readonly ToolHint[];
}

/** One server under its name. It comes and goes by itself: whatever it does, the others go on. */
export class Mount implements AsyncDisposable {
  readonly name: string;
  readonly fingerprint: string;
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;
  #server: Server | undefined;
  #tools: ReadonlyMap<string, Known> = new Map();
  #state: Mounts[string] = { state: "starting" };
  readonly followed: FollowedResources;
  /** Of each whether it may only have changed. */
  readonly #updated = new Map<string, { missed?: true }>();
  #gone = Promise.withResolvers<string>();
  #refreshing: Promise<void> | undefined;
  #again = false;
  readonly #settled = Promise.withResolvers<void>();

  constructor(parts: Parts) {
    this.name = parts.name;
    this.fingerprint = parts.spec.fingerprint;
    this.#parts = parts;
    const { name, changed, pace = PACE } = parts;
    const missed = (uri: string): void => this.#note(uri, { missed: true });
    this.followed = new FollowedResources({ name, pace, signal: this.#stop.signal, changed, missed }, parts.wanted);
    this.#over = this.#live();
  }

  get state(): Mounts[string] {
    return this.#state;
  }

  /** Once it has been there, or has failed, for the first time. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  get tools(): ToolSpec[] {
    return [...this.#tools.values()].map(({ spec }) => spec);
  }

  hintsOf(alias: string): readonly ToolHint[] {
    return this.#tools.get(alias)?.hints ?? [];
  }

  /** As the model calls it, by that or by the server's own name for it. */
  aliasOf(tool: string): string | undefined {
    if (this.has(tool)) return tool;
    return [...this.#tools].find(([, { remote }]) => remote === tool)?.[0];
  }

  has(alias: string): boolean {
    return this.#tools.has(alias);
  }

  /** Undefined while it is not there, and where it has none. */
  get resources(): ServerResources | undefined {
    return this.#server?.resources;
  }

  takeChanges(): Changed[] {
    const changes = [...this.#updated].map(([uri, how]) => ({ server: this.name, uri, ...how }));
    this.#updated.clear();
    return changes;
  }

  async call(call: Parameters<typeof argumentsOf>[0], { signal }: CallContext): Promise<ToolResult> {
    const known = this.#tools.get(call.tool);
    const server = this.#server;
    if (!known || !server) return failure("SERVER_AWAY", `${this.name} is not there: ${this.#state.error ?? ""}`);
    const read = argumentsOf(call);
    if ("failed" in read) return read.failed;
    try {
      return await server.call(known.remote, { ...read.args }, signal);
    } catch (error) {
      signal.throwIfAborted();
      return failure("SERVER_FAILED", `${this.name}: ${messageOf(error)}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop;
    const backoff = new Backoff(this.#parts.pace ?? PACE);
    while (!signal.aborted) {
      const from = performance.now();
      const why = await this.#once().catch(messageOf);
      // One that ends as soon as it is there is not tried all the time.
      if (performance.now() - from > STEADY_MS) backoff.reset();
      await this.#leave(
        signal.aborted ? { state: "failed" } : { state: "failed", error: why.slice(0, 500).toWellFormed() },
      );
      await pause(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }

  /** From its start to its end; resolves with why it ended. */
  async #once(): Promise<string> {
    const { signal } = this.#stop;
    this.#gone = Promise.withResolvers<string>();
    const stopped = (): void => this.#gone.resolve("It was unmounted.");
    signal.addEventListener("abort", stopped, { once: true });
    try {
      const gone = this.#gone;
      this.#server = await this.#parts.spec.open(
        {
          toolsChanged: () => this.#refresh(),
          // What nobody follows would be words of a stranger's in what a model is told.
          updated: (uri) => this.followed.isWanted(uri) && this.#note(uri, {}),
          unfollowed: (why) => this.followed.lost(why),
          closed: (why) => gone.resolve(why),
        },
        signal,
      );
      await this.#read();
      this.followed.attach(this.#server.resources);
      return await gone.promise;
    } finally {
      signal.removeEventListener("abort", stopped);
    }
  }

  async #leave(state: Mounts[string]): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#tools = new Map();
    this.followed.detach(state.error ?? "It was unmounted.");
    this.#set(state);
    await server?.close().catch(() => undefined);
  }

  /** What is known to have changed is not told as something that may have. */
  #note(uri: string, how: { missed?: true }): void {
    const known = this.#updated.get(uri);
    if (known ? known.missed : this.#updated.size < MOST_CHANGES) this.#updated.set(uri, how);
  }

  /** At most one question is open, and one more to come, however often it says that its tools are others. */
  #refresh(): void {
    this.#again = true;
    this.#refreshing ??= (async () => {
      while (this.#again) {
        this.#again = false;
        await this.#read();
      }
    })()
      .catch((error: unknown) => this.#gone.resolve(messageOf(error)))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  async #read(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const { tools, left_out } = this.#named(await server.list());
    this.#tools = tools;
    const error =
      left_out.length > 0 ? `Left out, for their names or their size: ${left_out.join(", ")}`.slice(0, 500) : undefined;
    this.#set({ state: "running", ...(error !== undefined && { error: error.toWellFormed() }) });
  }

  #named(remote: readonly RemoteTool[]): { tools: Map<string, Known>; left_out: string[] } {
    if (remote.length > MOST_TOOLS) throw new Error(`It has ${remote.length} tools; at most ${MOST_TOOLS} are taken.`);
    const tools = new Map<string, Known>();
    const left_out: string[] = [];
    for (const { name, description, input_schema, hints } of remote) {
      const alias = `${this.name}_${name.replaceAll(".", "_")}`;
      const spec = { name: alias, description, input_schema };
      const owner = tools.has(alias) ? this.name : this.#parts.takenBy(alias);
      if (owner !== undefined) throw new Error(`Its tool ${alias} is one of ${owner} already.`);
      if (ALIAS.test(alias) && JSON.stringify(spec).length <= MOST_SPEC)
        tools.set(alias, { remote: name, spec, hints });
      else left_out.push(JSON.stringify(name.slice(0, 60)));
    }
    return { tools, left_out };
  }

  #set(state: Mounts[string]): void {
    this.#state = state;
    this.#settled.resolve();
    this.#parts.changed();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
