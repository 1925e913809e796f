/** Claude Code, with a made-up key and none of its first questions. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, PARLEY } from "../../src/testing/process.ts";
import type { Desk } from "./desk.ts";
import { mcpTool, say } from "./script.ts";
import type { Terminal } from "./terminal.ts";
import { PACKAGES } from "./versions.ts";

const KEY = "sk-ant-made-up-key-0000000000000000000000";

/** Its own default has every call looked at by a server that is not here. */
const MODE = ["--permission-mode", "default", "--allowedTools", "mcp__parley,Agent"];

export class Claude {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.#settle();
  }

  get model() {
    return this.#desk.claudeModel;
  }

  /** A run without a person: `claude -p`. */
  print(prompt: string, args: readonly string[] = []): Promise<Ended> {
    return this.#desk.run("claude", ["-p", prompt, ...args], this.env);
  }

  /** What the person types into, ready. */
  async open(args: readonly string[] = []): Promise<Terminal> {
    const terminal = await this.#desk.terminal(["claude", ...MODE, ...args], this.env);
    await terminal.shows(/^\s*❯/m);
    return terminal;
  }

  /** The same, once it has our tools: it does not wait for its MCP servers. */
  async openConnected(tool = mcpTool("whoami"), args: readonly string[] = []): Promise<Terminal> {
    const terminal = await this.open(args);
    for (let n = 1; !this.model.turns.at(-1)?.tools.includes(tool); n++) {
      await terminal.say(this.model.script(`ready-${n}`, say(`Ready, ${n}.`)));
      await terminal.shows(`Ready, ${n}.`);
    }
    return terminal;
  }

  /** Adds the hub as an MCP server by a token, as the guide says. Gives the name of the agent that it is there. */
  async connect(way: "http" | "stdio" | "channel" = "http"): Promise<string> {
    const name = `claude-${way}`;
    const token = await this.#desk.agent(name);
    const header = `Authorization: Bearer ${token}`;
    const program = [PARLEY, "mcp", "--home", this.#desk.ground.home, ...(way === "channel" ? ["--channel"] : [])];
    const args =
      way === "http"
        ? ["--transport", "http", "parley", `${this.#desk.hub.url}/mcp`, "--header", header]
        : ["parley", "--env", `PARLEY_TOKEN=${token}`, "--", ...program];
    const { code, stderr } = await this.run(["mcp", "add", "--scope", "user", ...args]);
    if (code !== 0) throw new Error(`claude mcp add: ${stderr}`);
    return name;
  }

  /** The same for whichever agent a session is, as its hooks make it one. */
  async connectSessions(): Promise<void> {
    const entry = await this.#desk.mcpConfig("claude");
    const { code, stderr } = await this.run(["mcp", "add-json", "--scope", "user", "parley", entry]);
    if (code !== 0) throw new Error(`claude mcp add-json: ${stderr}`);
  }

  run(args: readonly string[], input = ""): Promise<Ended> {
    return this.#desk.run("claude", args, this.env, input);
  }

  /** With which the hub starts it, too. */
  get env(): Record<string, string> {
    return {
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: this.model.url,
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Otherwise a model is given the tools of an MCP server only once it has looked for them.
      ENABLE_TOOL_SEARCH: "false",
    };
  }

  /** As after the first start: the key is approved, the project trusted. */
  #settle(): void {
    const { home, project } = this.#desk;
    const path = join(home, ".claude.json");
    const before = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const settled = {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: PACKAGES["@anthropic-ai/claude-code"],
      theme: "dark",
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: trusted },
    };
    writeFileSync(path, JSON.stringify({ ...before, ...settled }));
  }
}
