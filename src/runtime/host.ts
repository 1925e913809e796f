/**
 * The agents that the hub itself runs: those that an administrator started and nobody stopped, again after a restart. Of
 * several nodes one runs an agent of a space, and another when that is gone. An agent that somebody runs elsewhere since is left to them.
 */
import { onCommit } from "../commits.ts";
import type { Hub } from "../hub.ts";
import { listInHub } from "../modules/timeline/index.ts";
import { type AgentOptions, runAgent } from "./agent.ts";
import { Definition, driverOf } from "./definition.ts";
import { HostedServers } from "./hosted-servers.ts";
import { inHubPort } from "./port-in-hub.ts";

/** So often it is looked whether another node has gone, or what failed can be tried again. */
const LOOK_MS = 15_000;

interface Hosted {
  /** How it is run: with another one it is run anew. */
  definition: string;
  stop: AbortController;
  over: Promise<void>;
}

export class RuntimeHost implements AsyncDisposable {
  readonly #hub: Hub;
  readonly #prefers: (space_id: string) => boolean;
  readonly #servers: HostedServers;
  readonly #hosted = new Map<string, Hosted>();
  /** Run by somebody else since, with the definition that they took the place of. */
  readonly #left = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor({ hub, prefers }: { hub: Hub; prefers: (space_id: string) => boolean }) {
    this.#hub = hub;
    this.#servers = new HostedServers(hub);
    this.#prefers = prefers;
    onCommit(hub, "agents in the hub", ({ events }) => {
      if (events.some(({ type }) => type === "runtime.wanted" || type === "runtime.unwanted")) this.wake();
    });
  }

  /** `after_crash` where the hub before it was killed, and may have left something running. */
  async begin({ after_crash }: { after_crash: boolean }): Promise<void> {
    await this.#servers.begin({ after_crash });
    this.#timer = setInterval(() => this.wake(), LOOK_MS).unref();
    this.wake();
  }

  wake(): void {
    if (this.#stopped || !this.#timer) return;
    this.#again = true;
    this.#checking ??= this.#lookAround();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#checking;
    await Promise.all([...this.#hosted.keys()].map((key) => this.#end(key)));
    this.#servers[Symbol.dispose]();
  }

  async #lookAround(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#look();
      }
    } catch (error) {
      this.#hub.log.warn("the agents of this hub could not be looked at", { error });
    } finally {
      // In one go with the last look at `#again`: whoever comes now looks anew.
      this.#checking = undefined;
    }
  }

  async #look(): Promise<void> {
    const wanted = new Map<string, { space_id: string; principal_id: string; agent: string; in_hub: string }>();
    for (const row of await listInHub(this.#hub.database))
      if (this.#prefers(row.space_id)) wanted.set(`${row.space_id} ${row.principal_id}`, row);
    for (const [key, { definition }] of [...this.#hosted])
      if (wanted.get(key)?.in_hub !== definition) await this.#end(key);
    for (const [key, row] of wanted)
      if (!this.#hosted.has(key) && this.#left.get(key) !== row.in_hub && !this.#stopped) this.#start(key, row);
  }

  #start(
    key: string,
    { agent, in_hub, ...whose }: { space_id: string; principal_id: string; agent: string; in_hub: string },
  ): void {
    const { log } = this.#hub;
    const stop = new AbortController();
    this.#left.delete(key);
    const run = async (): Promise<void> => {
      const definition = Definition.parse(JSON.parse(in_hub).definition);
      const { facets, compat } = definition;
      const port = inHubPort(this.#hub, whose);
      const driver = driverOf(definition, this.#hub.config.model_keys);
      const { signal } = stop;
      await using servers = this.#servers.mount({ space_id: whose.space_id, agent }, signal);
      const around: AgentOptions["around"] = (tools, changed) => servers.around(tools, changed);
      const end = await runAgent({ port, driver, signal, compat, around, ...(facets && { facets }) });
      if (end === "superseded") this.#left.set(key, in_hub);
    };
    const over = run()
      .catch((error: unknown) => log.warn("an agent of this hub ended", { agent, space: whose.space_id, error }))
      .finally(() => this.#hosted.delete(key));
    this.#hosted.set(key, { definition: in_hub, stop, over });
  }

  async #end(key: string): Promise<void> {
    const hosted = this.#hosted.get(key);
    hosted?.stop.abort();
    await hosted?.over;
  }
}
