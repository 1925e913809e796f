/** Codex, with a provider of ours and a project that is trusted. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, PARLEY } from "../../src/testing/process.ts";
import type { Desk } from "./desk.ts";
import type { Terminal } from "./terminal.ts";

/** One it knows nothing of: it is given plain tools, and advertises none that are newer. */
const MODEL = "own-model";

export class Codex {
  readonly #desk: Desk;
  readonly #config: string;
  #token: string | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
    const folder = join(desk.home, ".codex");
    mkdirSync(folder, { recursive: true });
    this.#config = join(folder, "config.toml");
    writeFileSync(this.#config, this.#settings);
  }

  get model() {
    return this.#desk.codexModel;
  }

  /** A run without a person. */
  exec(prompt: string, args: readonly string[] = []): Promise<Ended> {
    return this.run(["exec", ...args, prompt]);
  }

  run(args: readonly string[]): Promise<Ended> {
    return this.#desk.run("codex", args, this.env);
  }

  /** What the person types into, ready. */
  async open(args: readonly string[] = []): Promise<Terminal> {
    const terminal = await this.#start(args);
    // The model's name stands below once its session is there.
    await terminal.shows(new RegExp(`${MODEL} `));
    return terminal;
  }

  async quit(terminal: Terminal): Promise<void> {
    await terminal.say("/quit");
    await terminal.closed();
  }

  /** As a person does it, at the next start after hooks were installed. */
  async trustHooks(): Promise<void> {
    const terminal = await this.#start([]);
    await terminal.shows("Hooks need review");
    await terminal.pressUntil("2", "› 2. Trust all");
    await terminal.press("Enter");
    await terminal.shows(new RegExp(`${MODEL} `));
    await this.quit(terminal);
  }

  #start(args: readonly string[]): Promise<Terminal> {
    return this.#desk.terminal(["codex", ...args], this.env);
  }

  /** Adds the hub as an MCP server by a token, as the guide says. Gives the name of the agent that it is there. */
  async connect(way: "http" | "stdio" = "http"): Promise<string> {
    const name = `codex-${way}`;
    const token = await this.#desk.agent(name);
    const { hub, ground } = this.#desk;
    const lines =
      way === "http"
        ? [`url = "${hub.url}/mcp"`, `http_headers = { Authorization = "Bearer ${token}" }`]
        : [
            `command = "${PARLEY}"`,
            `args = ["mcp", "--home", "${ground.home}"]`,
            `env = { PARLEY_TOKEN = "${token}" }`,
          ];
    this.#addServer(["[mcp_servers.parley]", ...lines]);
    return name;
  }

  /** The same so that hooks and tools are one agent: by the token in its environment, since Codex names no session. */
  async connectSessions(): Promise<void> {
    this.#token = await this.#desk.agent("scout");
    this.#addServer([await this.#desk.mcpConfig("codex")]);
  }

  #addServer(lines: readonly string[]): void {
    // Otherwise its first turn may begin without our tools, on a machine that is slow to start them.
    const patient = ["required = true", "startup_timeout_sec = 60"];
    appendFileSync(this.#config, `\n${[...lines, ...patient].join("\n")}\n`);
  }

  /** With which the hub starts it, too. */
  get env(): Record<string, string> {
    return { MODEL_KEY: "made-up", ...(this.#token !== undefined && { PARLEY_TOKEN: this.#token }) };
  }

  get #settings(): string {
    return `model = "${MODEL}"
model_provider = "own"
check_for_update_on_startup = false

[model_providers.own]
name = "own"
base_url = "${this.model.url}/v1"
env_key = "MODEL_KEY"
wire_api = "responses"

[projects."${this.#desk.project}"]
trust_level = "trusted"
`;
  }
}
