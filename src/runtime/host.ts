/**
 * The agents that the hub itself runs: those that an administrator started and nobody stopped, again after a restart. Of
 * several nodes one runs an agent of a space, and another when that is gone. An agent that somebody runs elsewhere since is left to them.
 */
import { onCommit } from "../commits.ts";
import type { Hub } from "../hub.ts";
import { listInHub, SILENT_MS } from "../modules/timeline/index.ts";
import { type AgentOptions, runAgent } from "./agent.ts";
import { Definition, driverOf, isProgramDefinition } from "./definition.ts";
import { Hosting, hostedProgram, refusalOf } from "./hosted-program.ts";
import { HostedServers, type Whose } from "./hosted-servers.ts";
import type { IntakeEnd } from "./intake.ts";
import { Pauses } from "./pauses.ts";
import { inHubPort } from "./port-in-hub.ts";

/** So often it is looked whether another node has gone, or what failed can be tried again. */
const LOOK_MS = 5000;
/** For so long an agent that nobody runs is left to the node that sees to its space: that may be without what it takes. */
const PATIENCE_MS = 3 * LOOK_MS;
/** After these others are to be run than before. */
const CHANGES: readonly string[] = ["runtime.wanted", "runtime.unwanted", "agent.deleted"];

type Stored = Awaited<ReturnType<typeof listInHub>>[number];

interface Row extends Stored {
  hosting: Hosting;
  /** Somebody else runs it since. */
  is_elsewhere: boolean;
  whose: Whose;
  /** How it is run, by its row and by the file: with another one it is run anew. */
  how: string;
}

interface Options {
  hub: Hub;
  /** Whether this node is the one that sees to a space. */
  prefers: (space_id: string) => boolean;
  patience_ms?: number;
}

interface Hosted {
  how: string;
  stop: AbortController;
  over: Promise<unknown>;
}

export class RuntimeHost implements AsyncDisposable {
  readonly #hub: Hub;
  readonly #prefers: (space_id: string) => boolean;
  readonly #patience_ms: number;
  readonly #servers: HostedServers;
  readonly #hosted = new Map<string, Hosted>();
  /** Those that cannot be run here, and why. */
  readonly #refused = new Map<string, string>();
  readonly #pauses = new Pauses();
  /** Since when this node has seen that nobody runs one, by this process's own clock. */
  readonly #idle = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #again = false;
  /** What somebody else had run before this hub started it takes back. */
  #has_looked = false;
  #stopped = false;

  constructor({ hub, prefers, patience_ms = PATIENCE_MS }: Options) {
    this.#hub = hub;
    this.#patience_ms = patience_ms;
    this.#servers = new HostedServers(hub);
    this.#prefers = prefers;
    this.#servers.onChange(() => this.wake());
    hub.hostingRefusal = ({ definition, ...whose }) => {
      // What was written just now counts.
      this.#servers.reread();
      return refusalOf(this.#servers, whose, definition);
    };
    onCommit(hub, "agents in the hub", ({ events }) => {
      if (events.some(({ type }) => CHANGES.includes(type))) this.wake();
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
    const rows = (await listInHub(this.#hub.database)).map((row) => this.#rowOf(row));
    const wanted = new Map(rows.map((row) => [`${row.space_id} ${row.principal_id}`, row]));
    const own = new Set(this.#hosted.keys());
    for (const [key, { how }] of [...this.#hosted]) if (wanted.get(key)?.how !== how) await this.#end(key);
    for (const key of this.#idle.keys()) if (!wanted.has(key)) this.#idle.delete(key);
    for (const [key, row] of wanted) {
      const is_ours = this.#isLeftOver(key, row) || own.has(key) || this.#prefers(row.space_id);
      if (!is_ours || this.#hosted.has(key) || (row.is_elsewhere && this.#has_looked) || this.#stopped) continue;
      const isDue = this.#pauses.mayBegin(key, { how: row.how, now_ms: performance.now() });
      if (isDue && this.#canRun(key, row)) this.#start(key, row);
    }
    this.#has_looked = true;
  }

  /** Nobody runs it, and the node that it falls to has had its time. */
  #isLeftOver(key: string, { seen_at, ended_at }: Row): boolean {
    const now = performance.now();
    const quiet_ms = seen_at === null ? Infinity : this.#hub.database.now() - Date.parse(seen_at);
    const since = this.#idle.get(key) ?? now;
    if (ended_at === null && quiet_ms < SILENT_MS) this.#idle.delete(key);
    else this.#idle.set(key, since);
    return this.#idle.has(key) && now - since >= this.#patience_ms;
  }

  #rowOf(row: Stored): Row {
    const { elsewhere: is_elsewhere = false, ...own } = JSON.parse(row.in_hub);
    const hosting = Hosting.parse(own);
    const whose = { space_id: row.space_id, agent: row.agent, like: hosting.like };
    // What its model has of other servers is changed while it runs.
    const { program } = this.#servers.find(whose) ?? {};
    return { ...row, hosting, is_elsewhere, whose, how: JSON.stringify([own, program]) };
  }

  /** Why not is said once, and again when it is something else. */
  #canRun(key: string, { whose, hosting, agent, space_id }: Row): boolean {
    const why = refusalOf(this.#servers, whose, hosting.definition);
    if (why !== undefined && this.#refused.get(key) !== why)
      this.#hub.log.warn("an agent of this hub cannot be run", { agent, space: space_id, why });
    if (why === undefined) this.#refused.delete(key);
    else this.#refused.set(key, why);
    return why === undefined;
  }

  #start(key: string, row: Row): void {
    const { log } = this.#hub;
    const { agent, space_id, how } = row;
    const stop = new AbortController();
    const began_ms = performance.now();
    const over = this.#run(row, stop.signal)
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        if (this.#pauses.add(key, { how, why, began_ms, now_ms: performance.now() }))
          log.warn("an agent of this hub ended, and is begun again more and more rarely", {
            ...{ agent, space: space_id, error },
          });
      })
      .finally(() => this.#hosted.delete(key));
    this.#hosted.set(key, { how, stop, over });
  }

  async #run({ principal_id, space_id, hosting, whose }: Row, signal: AbortSignal): Promise<IntakeEnd> {
    const definition = Definition.parse(hosting.definition);
    const port = inHubPort(this.#hub, { principal_id, space_id, token_id: hosting.token_id });
    const { facets } = definition;
    const common = { port, signal, ...(facets && { facets }) };
    if (isProgramDefinition(definition)) {
      const account = this.#servers.find(whose)?.program?.account;
      const driver = await hostedProgram({ hub: this.#hub, servers: this.#servers, whose, definition });
      return runAgent({ ...common, driver, account });
    }
    const driver = driverOf(definition, this.#hub.config.model_keys);
    await using servers = this.#servers.mount(whose, signal);
    const around: AgentOptions["around"] = (tools, changed) => servers.around(tools, changed);
    const { compat, account } = definition;
    return await runAgent({ ...common, driver, compat, account, around });
  }

  async #end(key: string): Promise<void> {
    const hosted = this.#hosted.get(key);
    hosted?.stop.abort();
    await hosted?.over;
  }
}
