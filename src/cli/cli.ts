import { type CallOptions, Client, isRefused } from "./client.ts";
import type { Common } from "./command.ts";
import { Failure } from "./failure.ts";
import { Home } from "./home.ts";
import { runByAgent } from "./identity-env.ts";
import { Output } from "./output.ts";

interface Made {
  common: Common;
  typed: ReadonlySet<string>;
  textByDefault: boolean;
}

/** What a command is given to work with: where the words go, and the hub. */
export class Cli {
  readonly out: Output;
  readonly home: Home;
  /** Set when the hub is not the data folder's own. */
  readonly url: string | undefined;
  readonly #token: string | undefined;
  readonly #typedHome: boolean;
  readonly space: string | undefined;
  /** The variable that says that an agent runs us, unless PARLEY_TOKEN says as whom: then nothing is done as the owner. */
  readonly runByAgent: string | undefined;
  /** No hub is started, whoever asks. */
  readonly noStart: boolean;
  readonly #made: Made;
  #delivered = false;

  constructor(made: Made) {
    const { common, typed, textByDefault } = made;
    this.#made = made;
    this.noStart = common.no_start;
    this.out = new Output(common, textByDefault);
    this.home = new Home(common.home);
    // A folder that was typed wins over a hub that the environment names, and over the token meant for that hub.
    const own = typed.has("home") && !typed.has("url");
    this.#typedHome = own;
    this.url = own ? undefined : common.url;
    this.#token = own && common.url ? undefined : process.env.PARLEY_TOKEN || undefined;
    this.runByAgent = this.#token ? undefined : runByAgent(process.env);
    this.space = common.space;
  }

  /** The one that PARLEY_TOKEN names, if it counts for this hub. */
  get token(): string | undefined {
    return this.#token;
  }

  /** A command line to suggest: it reaches the same hub when it is typed as it stands. */
  line(command: string): string {
    return `parley ${command}${this.#typedHome ? ` --home ${quoted(this.home.path)}` : ""}`;
  }

  /** Calls a tool, as the agent that runs us if one does, and starts the hub of the data folder first if none runs. */
  async call<T>(tool: string, args: object, options?: CallOptions): Promise<T> {
    if (this.runByAgent !== undefined) return this.#callAsAgent<T>(tool, args, options);
    const client = await this.connect();
    await this.deliver();
    try {
      return await client.call<T>(tool, args, options);
    } catch (error) {
      // It stopped just now, or has not begun to listen. Nobody took the call, so it can go to the next one.
      if (this.url || !(isRefused(error) || isStopping(error))) throw error;
      return (await this.#started()).call<T>(tool, args, options);
    }
  }

  async #callAsAgent<T>(tool: string, args: object, options?: CallOptions): Promise<T> {
    const [{ resolveActing }, { toldToAgent }] = await Promise.all([import("./acting.ts"), import("./people.ts")]);
    const { client, agent } = await resolveActing(this);
    try {
      return await client.call<T>(tool, args, options);
    } catch (error) {
      throw toldToAgent(this, agent, error);
    }
  }

  /** Sends what waits in the outbox, before anything else is asked of the hub. */
  async deliver(): Promise<void> {
    if (this.#delivered || !this.home.hasMailOut()) return;
    this.#delivered = true;
    const { drain } = await import("./outbox-drain.ts");
    await drain(this);
  }

  /** The same in another space. */
  inSpace(space: string | undefined): Cli {
    return new Cli({ ...this.#made, common: { ...this.#made.common, space } });
  }

  /** As PARLEY_TOKEN says, else as the owner of the data folder: for what makes no call in the name of an agent. */
  async connect(): Promise<Client> {
    return this.#elsewhere() ?? this.#own() ?? (await this.#started());
  }

  /** The same with the hub as it is now; undefined if the data folder has none. */
  find(): Client | undefined {
    return this.#elsewhere() ?? this.#own();
  }

  #elsewhere(): Client | undefined {
    if (!this.url) return undefined;
    const token = this.#token ?? (this.#isOwn(this.url) ? this.home.adminToken() : undefined);
    if (token) return new Client({ url: this.url, token, space: this.space });
    throw new Failure(
      "UNAUTHENTICATED",
      `Say as whom you act on ${this.url}: set PARLEY_TOKEN to a token of that hub.`,
    );
  }

  /** The admin token of a data folder is for the hub of that folder and for nobody else. */
  #isOwn(url: string): boolean {
    const hub = this.home.hub();
    return hub !== undefined && URL.canParse(url) && new URL(url).origin === new URL(hub.url).origin;
  }

  #own(): Client | undefined {
    const hub = this.home.hub();
    return hub && new Client({ url: hub.url, token: this.#token ?? this.home.adminToken(), space: this.space });
  }

  async #started(): Promise<Client> {
    if (this.noStart)
      throw new Failure("HUB_UNREACHABLE", `No hub runs on ${this.home.path}. Start it: ${this.line("serve")}`);
    const { ensureHub } = await import("./start-hub.ts");
    const { url } = await ensureHub(this.home, (text) => this.out.note(text));
    return new Client({ url, token: this.#token ?? this.home.adminToken(), space: this.space });
  }
}

/** For a shell. */
const quoted = (path: string): string => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

const isStopping = (error: unknown): boolean => error instanceof Failure && error.code === "SHUTTING_DOWN";
