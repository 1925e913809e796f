/**
 * The servers and programs of the agents that the hub itself runs: `servers.json` in its data folder. No tool writes it:
 * whoever may, decides what runs as the hub's user. So what it says of secrets is nowhere else, and nobody is shown it.
 */
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { MAIN_SPACE } from "../db/open.ts";
import type { Hub } from "../hub.ts";
import { watchFiles } from "../local/file-watch.ts";
import { COOKIE, killMarked } from "../local/killing.ts";
import { Compositor } from "./compositor/compositor.ts";
import { MOUNT_COOKIE, type MountSpec } from "./compositor/server.ts";
import { cookiesOf } from "./drivers/program-process.ts";
import { type HostedAgent, readServers, serversFile } from "./servers-file.ts";
import type { Toolset } from "./toolset.ts";

export interface Whose {
  space_id: string;
  agent: string;
  /** Whose entry counts for one that has none: of a fork whom it was begun from. */
  like?: string | undefined;
}

export class HostedServers implements Disposable {
  readonly #hub: Hub;
  readonly path: string;
  /** What every process of a server or a program of this hub carries. Only one hub at a time has the folder. */
  readonly mark: string;
  #agents: ReadonlyMap<string, HostedAgent> = new Map();
  readonly #changed = new Set<() => void>();
  #unwatch = (): void => {};

  constructor(hub: Hub) {
    const { home } = hub.config;
    this.#hub = hub;
    this.path = serversFile(home);
    this.mark = createHash("sha256").update(realpathSync(home)).digest("hex").slice(0, 24);
  }

  /** Ends first what a hub that was killed has left here. */
  async begin({ after_crash }: { after_crash: boolean }): Promise<void> {
    if (after_crash) await this.#killStrays();
    this.#unwatch = watchFiles([this.path], () => this.reread());
    this.reread();
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }

  /** Undefined where the file says nothing of it. */
  find({ space_id, agent, like = agent }: Whose): HostedAgent | undefined {
    return this.#agents.get(keyOf(space_id, agent)) ?? this.#agents.get(keyOf(space_id, like));
  }

  /** Told when the file says something else. Returns the way to stop. */
  onChange(changed: () => void): () => void {
    this.#changed.add(changed);
    return () => void this.#changed.delete(changed);
  }

  /** The tools of its servers beside the hub's, mounted as the file says, also when that changes. */
  mount(whose: Whose, signal: AbortSignal): AgentServers {
    const wanted = async (): Promise<Map<string, MountSpec>> => {
      const { servers } = this.find(whose) ?? {};
      if (!servers || servers.size === 0) return new Map();
      // The official client is loaded where something is mounted, and nowhere else.
      const { mcpMount } = await import("./compositor/index.ts");
      return new Map([...servers].map(([name, spec]) => [name, mcpMount(name, spec, this.mark)]));
    };
    const report = (error: unknown): void =>
      this.#hub.log.error("an agent's servers stay as they are", { agent: whose.agent, error });
    return new AgentServers({ wanted, follow: (changed) => this.onChange(changed), report, signal });
  }

  async #killStrays(): Promise<void> {
    const kinds = [
      { variable: MOUNT_COOKIE, beginning: `${this.mark}.` },
      { variable: COOKIE, beginning: cookiesOf(this.mark) },
    ];
    for (const kind of kinds) {
      const killed = await killMarked(kind);
      if (killed > 0) this.#hub.log.warn("processes of agents were killed, since their hub was", { killed });
    }
  }

  /** By itself when it is another. A file that is half written, wrong or somebody else's changes nothing. */
  reread(): void {
    try {
      this.#agents = readServers(this.path);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#hub.log.error("the servers and programs of agents stay as they are", { file: this.path, why });
      return;
    }
    for (const changed of this.#changed) changed();
  }
}

interface Parts {
  wanted: () => Promise<Map<string, MountSpec>>;
  /** Tells when that has become another. Returns the way to stop. */
  follow: (changed: () => void) => () => void;
  report: (error: unknown) => void;
  signal: AbortSignal;
}

/** Those of one agent, for as long as it runs. */
export class AgentServers implements AsyncDisposable {
  readonly #parts: Parts;
  #compositor: Compositor | undefined;
  #unfollow = (): void => {};
  #last: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async around(hub: Toolset, changed: () => void): Promise<Toolset> {
    const { signal, follow } = this.#parts;
    const compositor = new Compositor({ hub, changed });
    this.#compositor = compositor;
    this.#unfollow = follow(() => this.#converge(compositor));
    this.#converge(compositor);
    await this.#last;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    if (!signal.aborted) await Promise.race([compositor.settled(), stopped.promise]);
    return compositor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unfollow();
    await this.#last;
    await this.#compositor?.[Symbol.asyncDispose]();
  }

  /** One after the other, each to what is wanted by then. */
  #converge(compositor: Compositor): void {
    const { wanted, report } = this.#parts;
    this.#last = this.#last.then(async () => compositor.reconfigure(await wanted())).catch(report);
  }
}

const keyOf = (space_id: string, agent: string): string => (space_id === MAIN_SPACE ? agent : `${space_id}/${agent}`);
