/** Where somebody works: a home and a project of their own, a hub, the clients, and models that do as they are told. */
import { execFileSync, spawn } from "node:child_process";
import { globSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { killIfThere } from "../../src/testing/kill.ts";
import { freePort } from "../../src/testing/ports.ts";
import { type Child, type Ended, ended, Ground, PARLEY, type ServedHub, until } from "../../src/testing/process.ts";
import { define } from "../../src/testing/runs.ts";
import { AnthropicServer } from "./anthropic.ts";
import type { ModelServer } from "./model-server.ts";
import { OpenAiServer } from "./openai.ts";
import { Outside } from "./outside.ts";
import { running } from "./processes.ts";
import { Terminal } from "./terminal.ts";
import { BIN } from "./versions.ts";

/** What the models were asked in the last run, for whoever looks into a failure. */
const KEPT = fileURLToPath(new URL("../../artifacts/clients/", import.meta.url));

/** For one that would never end. */
const LIMIT_MS = 60_000;
const WAITER_STARTS_MS = 3_000;
const YOU_ARE = /You are (\S+) on Parley/g;

export interface Sent {
  id: string;
  /** In milliseconds. */
  stored_at: number;
}

interface Program {
  client: "claude" | "codex";
  env: Record<string, string>;
  argv?: string[];
  approvals?: boolean;
}

interface Delivery {
  channel: string;
  state: string;
  first_at: string;
}

export class Desk implements AsyncDisposable {
  readonly ground = new Ground();
  readonly project = join(this.ground.folder, "webshop");
  readonly claudeModel: ModelServer = new AnthropicServer();
  readonly codexModel: ModelServer = new OpenAiServer();
  readonly #outside = new Outside();
  readonly #terminals: Terminal[] = [];
  #hub: ServedHub | undefined;
  #mason: Promise<string> | undefined;

  static async open(): Promise<Desk> {
    const desk = new Desk();
    mkdirSync(desk.project);
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: desk.project });
    await Promise.all([desk.claudeModel, desk.codexModel, desk.#outside].map((server) => server.listen()));
    desk.#hub = await desk.ground.serve(["--port", String(await freePort())]);
    return desk;
  }

  private constructor() {}

  get home(): string {
    return this.ground.folder;
  }

  get hub(): ServedHub {
    if (!this.#hub) throw new Error("The hub is stopped.");
    return this.#hub;
  }

  async stopHub(): Promise<void> {
    await this.hub.kill("SIGTERM");
  }

  /** At the same address. */
  async startHub(): Promise<void> {
    this.#hub = await this.ground.serve(["--port", new URL(this.hub.url).port]);
  }

  /** A command line of the person's, in the project. */
  parley(args: readonly string[]): Promise<Ended> {
    return this.run(PARLEY, [...args, "--home", this.ground.home]);
  }

  /** Says what the hub starts, in the project. */
  runs(programs: Record<string, Program>): void {
    // What is Parley's own in it the hub sets itself.
    const own = Object.entries(this.env()).filter(([name]) => !name.startsWith("PARLEY_"));
    const defined = Object.entries(programs).map(([kind, { env, ...program }]) => [
      kind,
      { ...program, cwd: this.project, env: { ...Object.fromEntries(own), ...env } },
    ]);
    define(this.ground, Object.fromEntries(defined));
  }

  async installHooks(client: "claude" | "codex", args: readonly string[] = []): Promise<void> {
    const { code, stderr } = await this.parley(["hooks", "install", "--client", client, "--yes", ...args]);
    if (code !== 0) throw new Error(`parley hooks install: ${stderr}`);
  }

  /** What Parley tells a person to put into a client's settings. */
  async mcpConfig(client: "claude" | "codex"): Promise<string> {
    const { code, stdout, stderr } = await this.parley(["mcp-config", "--client", client]);
    if (code !== 0) throw new Error(`parley mcp-config: ${stderr}`);
    return stdout.trim();
  }

  /** Calls a tool of the hub, as the admin or with a token. */
  async call<T>(tool: string, args: object = {}, token = this.#admin): Promise<T> {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${this.hub.url}/api/tools/${tool}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(args) });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    // The caller knows what the tool answers.
    return body as T;
  }

  /** A token of an agent, which is somebody else than the sessions of the clients. */
  async agent(name: string): Promise<string> {
    return (await this.call<{ token: string }>("token_create", { role: "agent", name })).token;
  }

  /** Who the session is that the model was told of, after that moment if one is given. */
  async session(model: ModelServer, after = 0): Promise<string> {
    await model.received(YOU_ARE, { after });
    const text = model.turns.findLast((turn) => turn.text.search(YOU_ARE) >= 0)?.text ?? "";
    return [...text.matchAll(YOU_ARE)].at(-1)?.[1] ?? "";
  }

  /** Mail from an agent called mason. Gives its id, and when it was stored. */
  async mailTo(name: string, body: string, more: object = {}): Promise<Sent> {
    this.#mason ??= this.agent("mason");
    const letter = { to: [name], subject: "Build", body, ...more };
    const { id } = await this.call<{ id: string }>("mail_send", letter, await this.#mason);
    // An id is the time it was given at, in microseconds.
    return { id, stored_at: Number(id) / 1_000 };
  }

  /** By which ways the hub believes that a mail reached its one recipient. */
  async deliveries(id: string): Promise<Delivery[]> {
    const found = await this.call<{ recipients: { deliveries: Delivery[] }[] }>(
      "mail_status",
      { id },
      await this.#mason,
    );
    return found.recipients.flatMap(({ deliveries }) => deliveries);
  }

  /** Waits until the hub has heard that it was offered. */
  async offered(id: string): Promise<Delivery[]> {
    return until(async () => {
      const deliveries = await this.deliveries(id);
      return deliveries.length > 0 ? deliveries : undefined;
    });
  }

  /** What waits for mail beside a session is there, and past the second that it leaves to the Stop hook. */
  async waiterReady(): Promise<void> {
    await until(() => running("wait --rewake", this.ground.home).some(({ age_ms }) => age_ms > WAITER_STARTS_MS));
  }

  async run(command: string, args: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Ended> {
    const child = this.start(command, args, env);
    child.stdin.end(input);
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    const result = await ended(child);
    clearTimeout(timer);
    if (result.signal === "SIGKILL") throw new Error(`${command} ${args.join(" ")} did not end in ${LIMIT_MS} ms.`);
    return result;
  }

  start(command: string, args: readonly string[], env: Record<string, string> = {}): Child {
    const options = { cwd: this.project, env: this.env(env), stdio: "pipe" } as const;
    return this.ground.watch(spawn(command, args, options));
  }

  async terminal(command: readonly string[], env: Record<string, string> = {}): Promise<Terminal> {
    const terminal = await Terminal.open(command, { cwd: this.project, env: this.env(env) });
    this.#terminals.push(terminal);
    return terminal;
  }

  /** Nothing of whoever runs the checks, and no way out of the machine. */
  env(more: Record<string, string> = {}): Record<string, string> {
    const person = { HOME: this.home, USER: "ana", SHELL: "/bin/bash", LANG: "C.UTF-8" };
    const PATH = `${BIN}:/usr/local/bin:/usr/bin:/bin`;
    // A hook gives up on a hub that is slow. Whether this machine is busy is not what is checked here.
    return { ...person, PATH, PARLEY_HOOK_MS: "8000", ...this.#outside.env, ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#keep();
    await Promise.all(this.#terminals.map((terminal) => terminal[Symbol.asyncDispose]()));
    this.#endDaemons();
    await this.ground[Symbol.asyncDispose]();
    await Promise.all([this.claudeModel, this.codexModel, this.#outside].map((each) => each[Symbol.asyncDispose]()));
  }

  get #admin(): string {
    return readFileSync(join(this.ground.home, "admin.token"), "utf8").trim();
  }

  /** Codex leaves a daemon behind, with a program of its own in the home it was started for. */
  #endDaemons(): void {
    for (const link of globSync("/proc/[0-9]*/exe")) {
      const pid = Number(link.split("/")[2]);
      if (programOf(link)?.startsWith(`${this.home}/`)) killIfThere(pid);
    }
  }

  async #keep(): Promise<void> {
    const name = (expect.getState().currentTestName ?? "check").replace(/\W+/g, "-").slice(0, 100);
    const folder = join(KEPT, name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [at, terminal] of this.#terminals.entries())
      writeFileSync(join(folder, `screen-${at + 1}.txt`), await terminal.screen());
    for (const [client, model] of Object.entries({ claude: this.claudeModel, codex: this.codexModel })) {
      for (const [at, request] of model.requests.entries())
        writeFileSync(join(folder, `${client}-${at + 1}.json`), JSON.stringify(request, null, 1));
    }
  }
}

/** Undefined for one that ended meanwhile, or is another user's. */
function programOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
