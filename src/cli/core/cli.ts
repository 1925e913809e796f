import { LAUNCHER } from "../root.ts";
import type { As } from "./acting.ts";
import { type CallOptions, Client, isGone, type Target } from "./client.ts";
import type { SharedOptions } from "./command.ts";
import { Failure } from "./failure.ts";
import { Home, placeOf } from "./home.ts";
import { runByAgent } from "./identity-env.ts";
import type { Io } from "./io.ts";
import { Output } from "./output.ts";
import { programName, quoted } from "./program.ts";
import type { Input, ToolName, ToolTypes } from "./tool-types.ts";

/** Where commands of the folder's owner act unless they are told. */
const MAIN = "main";

interface Made {
  io: Io;
  /** The command and all that was typed behind it. */
  words: readonly string[];
  common: SharedOptions;
  typed: ReadonlySet<string>;
  textByDefault: boolean;
}

export type Lines = Pick<Cli, "line" | "wholeLine">;

/** What a command is given to work with: where the words go, and the hub. */
export class Cli {
  readonly io: Io;
  readonly out: Output;
  readonly home: Home;
  /** Set when the hub is not the data folder's own. */
  readonly url: string | undefined;
  readonly #token: string | undefined;
  readonly space: string | undefined;
  /** What leads to all that the command does. */
  readonly cause: string | undefined;
  /** The variable that says that an agent runs us, unless PARLEY_TOKEN says as whom: then nothing is done as the owner. */
  readonly runByAgent: string | undefined;
  /** No hub is started, whoever asks. */
  readonly noStart: boolean;
  readonly #made: Made;
  #delivered = false;

  constructor(made: Made) {
    const { io, common, typed, textByDefault } = made;
    this.#made = made;
    this.io = io;
    this.noStart = common.no_start;
    this.out = new Output(io, common, textByDefault);
    this.home = new Home(common.home, io.env.HOME);
    // A folder that was typed wins over a hub elsewhere that the environment names, and over the token meant for that hub.
    const own = typed.has("home") && !typed.has("url");
    this.url = own ? undefined : common.url;
    const elsewhere = own && common.url !== undefined && !this.home.hubAt(common.url);
    this.#token = elsewhere ? undefined : io.env.PARLEY_TOKEN || undefined;
    this.runByAgent = this.#token ? undefined : runByAgent(io.env);
    this.space = common.space;
    this.cause = common.cause;
  }

  /** The one that PARLEY_TOKEN names, if it counts for this hub. */
  get token(): string | undefined {
    return this.#token;
  }

  /** A command line to suggest, to a person or to a model: typed as it stands it runs this program on the same hub. */
  line(command: string): string {
    return `${programName()} ${command}${this.#place()}`;
  }

  /** The same for whoever has another PATH than we have. */
  wholeLine(command: string): string {
    return `${quoted(LAUNCHER)} ${command}${this.#place()}`;
  }

  /** Both for whoever acts as somebody that the command line names: the next one has to name them too. */
  linesFor({ agent, session_id }: Pick<As, "agent" | "session_id">): Lines {
    const words = [
      ...(agent === undefined ? [] : ["--agent", quoted(agent)]),
      ...(session_id === undefined ? [] : ["--session-id", quoted(session_id)]),
    ];
    const named = (command: string): string => [command, ...words].join(" ");
    return { line: (command) => this.line(named(command)), wholeLine: (command) => this.wholeLine(named(command)) };
  }

  /** The parts of such a line that lead to the data folder's own hub. */
  get typed(): { program: string; place: string } {
    return { program: programName(), place: this.#folder.trimStart() };
  }

  /** A hub that the environment names is named there for the next command, too. */
  #place(): string {
    if (this.url) return this.#made.typed.has("url") ? ` --url ${quoted(this.url)}` : "";
    return this.#folder;
  }

  get #folder(): string {
    return this.home.isDefault ? "" : ` --home ${quoted(this.home.path)}`;
  }

  /** The same command with one option changed: everything else that was asked for is asked for again. */
  again(flag: string, value: string, instead: readonly string[] = [flag]): string {
    return this.#repeated(instead, [flag, value]);
  }

  /** The same command. */
  same(): string {
    return this.#repeated([], []);
  }

  #repeated(without: readonly string[], more: readonly string[]): string {
    const { words } = this.#made;
    // Behind it everything is text, whatever it looks like.
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    const kept: string[] = [];
    for (let at = 0; at < end; at += 1) {
      const [name = "", inline] = (words[at] ?? "").split("=", 2);
      if (![...without, "--home", "--url"].includes(name)) kept.push(words[at] ?? "");
      else if (inline === undefined) at += 1;
    }
    const options = this.line([...kept, ...more].map(quoted).join(" "));
    return [options, ...words.slice(end).map(quoted)].join(" ");
  }

  /** Calls a tool, as the agent that runs us if one does, and starts the hub of the data folder first if none runs. */
  call<N extends ToolName>(tool: N, args: Input<N>, options?: CallOptions): Promise<ToolTypes[N]["output"]> {
    return this.callByName(tool, args, options);
  }

  /** One whose name is known only when it runs. */
  async callByName<T>(tool: string, args: object, options?: CallOptions): Promise<T> {
    if (this.runByAgent !== undefined) return this.#callAsAgent<T>(tool, args, options);
    const client = await this.connect();
    await this.deliver();
    try {
      return await client.callByName<T>(tool, args, options);
    } catch (error) {
      if (this.url || !isGone(error)) throw error;
      return (await this.#started()).callByName<T>(tool, args, options);
    }
  }

  async #callAsAgent<T>(tool: string, args: object, options?: CallOptions): Promise<T> {
    const [{ resolveActing }, { toldToAgent }] = await Promise.all([import("./acting.ts"), import("./people.ts")]);
    const { client, agent } = await resolveActing(this);
    try {
      return await client.callByName<T>(tool, args, options);
    } catch (error) {
      throw toldToAgent(this, agent, error);
    }
  }

  /** Sends what waits in the outbox, before anything else is asked of the hub. */
  async deliver(): Promise<void> {
    if (this.#delivered || !this.home.hasMailOut()) return;
    this.#delivered = true;
    const { drain } = await import("../outbox/drain.ts");
    await drain(this);
  }

  /** The same in another space, where something else led to it. */
  inSpace(space: string | undefined, cause: string | undefined): Cli {
    return new Cli({ ...this.#made, common: { ...this.#made.common, space, cause } });
  }

  /** The same as if these had been typed. */
  at(typed: Partial<Pick<SharedOptions, "home" | "url" | "space">>): Cli {
    const { common, typed: before } = this.#made;
    const all = new Set([...before, ...Object.keys(typed)]);
    return new Cli({ ...this.#made, common: { ...common, ...typed }, typed: all });
  }

  /** As PARLEY_TOKEN says, else as the owner of the data folder: for what makes no call in the name of an agent. */
  async connect(): Promise<Client> {
    return this.find() ?? (await this.#started());
  }

  /** The same with the hub as it is now; undefined if the data folder has none. */
  find(): Client | undefined {
    const place = this.place();
    if (!place) return undefined;
    // The token of a data folder is for the hub that its socket leads to, and for nobody else.
    const token = this.#token ?? (place.socket ? this.home.adminToken() : undefined);
    if (token || place.socket) return this.#client({ ...place, token });
    throw new Failure(
      "UNAUTHENTICATED",
      `Say as whom you act on ${this.url}: set PARLEY_TOKEN to a token of that hub.`,
    );
  }

  /** Where the hub is just now. The address of the folder's own hub leads to its socket, too. */
  place(): Pick<Target, "url" | "socket"> | undefined {
    const own = this.url ? this.home.hubAt(this.url) : this.home.hub();
    if (own) return placeOf(own);
    return this.url ? { url: this.url } : undefined;
  }

  async #started(): Promise<Client> {
    if (this.noStart) throw this.noHub();
    return this.#client({ ...(await this.startHub()), token: this.#token ?? this.home.adminToken() });
  }

  /** Where it is then. */
  async startHub(): Promise<Pick<Target, "url" | "socket">> {
    const { ensureHub } = await import("./start-hub.ts");
    return placeOf(await ensureHub(this.home, this.io.env, (text) => this.out.note(text)));
  }

  noHub(): Failure {
    return new Failure("HUB_UNREACHABLE", `No hub runs on ${this.home.path}. Start it: ${this.line("serve")}`);
  }

  #client(target: Pick<Target, "url" | "socket" | "token">): Client {
    // Who owns the data folder may use every space, and tools of the workspace take none for granted.
    const space = this.space ?? (this.#token ? undefined : MAIN);
    return new Client({ ...target, space, cause: this.cause });
  }
}
