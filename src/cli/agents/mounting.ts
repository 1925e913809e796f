import { hash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { killMarked } from "../../local/killing.ts";
import { Compositor, EXEC_SERVER, MOUNT_COOKIE, type MountSpec, type Toolset } from "../../runtime/index.ts";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { Failure, invalid, reasonOf } from "../core/failure.ts";
import { serversFor, watchConfig } from "./mcp-config.ts";

export interface Servers {
  /** As `--mcp-config` names them. */
  files: readonly string[];
  /** The folder in which it may run programs. */
  exec: string | undefined;
}

interface Whose {
  agent: string;
  space: string | undefined;
}

/** By the hub that was named, since an own one may have another port each time: that is known by its data folder. */
const markOf = ({ home, url = "" }: Cli, { agent, space = "" }: Whose): string =>
  hash("sha256", JSON.stringify([realpathSync(home.path), url, space, agent])).slice(0, 24);

/** The servers of an agent that is run here, for as long as it runs: mounted as its files say, also when those change. */
export class Mounting implements AsyncDisposable {
  readonly #cli: Cli;
  readonly #servers: Servers;
  /** What every process of its servers carries, and of what it runs; of the same agent always the same. */
  #mark = "";
  #compositor: Compositor | undefined;
  #unwatch = (): void => {};
  #last: Promise<void> = Promise.resolve();

  /** Throws for what is wrong already. */
  static async open(cli: Cli, servers: Servers): Promise<Mounting> {
    const mounting = new Mounting(cli, servers);
    await mounting.#wanted();
    return mounting;
  }

  private constructor(cli: Cli, servers: Servers) {
    this.#cli = cli;
    this.#servers = servers;
  }

  /** Ends first what a runtime of the agent that was killed has left here: of several of an agent the last one counts. */
  async around(hub: Toolset, { changed, whose }: { changed: () => void; whose: Whose }): Promise<Toolset> {
    this.#mark = markOf(this.#cli, whose);
    const killed = await killMarked({ variable: MOUNT_COOKIE, beginning: `${this.#mark}.` });
    if (killed > 0) this.#cli.out.note(`Ended what the last runtime had left running: ${killed} processes.`);
    const compositor = new Compositor({ hub, changed });
    this.#compositor = compositor;
    const first = Promise.withResolvers<void>();
    this.#last = first.promise;
    // Before they are read for the first time: what changes from here on is told.
    this.#unwatch = watchConfig(this.#servers.files, () => {
      this.#last = this.#last.then(() => this.#converge(compositor).catch((error: unknown) => this.#complain(error)));
    });
    await this.#converge(compositor).finally(first.resolve);
    await compositor.settled();
    return compositor;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unwatch();
    await this.#last;
    await this.#compositor?.[Symbol.asyncDispose]();
  }

  async #converge(compositor: Compositor): Promise<void> {
    try {
      await compositor.reconfigure(await this.#wanted());
    } catch (error) {
      throw error instanceof Failure || !(error instanceof Error)
        ? error
        : invalid(visible(error.message), { cause: error });
    }
  }

  async #wanted(): Promise<Map<string, MountSpec>> {
    const { files, exec } = this.#servers;
    const wanted = new Map<string, MountSpec>();
    const servers = serversFor(this.#cli, files);
    if (servers.size === 0 && exec === undefined) return wanted;
    if (servers.has(EXEC_SERVER)) throw invalid(`${EXEC_SERVER} is the name of the built-in server. Choose another.`);
    const { execMount, mcpMount } = await import("../../runtime/compositor/index.ts");
    for (const [name, spec] of servers) wanted.set(name, mcpMount(name, spec, this.#mark));
    if (exec !== undefined) wanted.set(EXEC_SERVER, execMount(folderOf(exec), this.#mark));
    return wanted;
  }

  /** A file that is half written, or wrong, changes nothing: it is looked at again when it is another. */
  #complain(error: unknown): void {
    this.#cli.out.note(`The servers stay as they are: ${visible(reasonOf(error))}`);
  }
}

function folderOf(exec: string): string {
  const path = resolve(exec);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw invalid(`--exec ${visible(exec)}: there is no such folder.`);
}
