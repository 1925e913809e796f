/** A hub that is started again and again on the same data, as real processes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { type Caller, callTool } from "./crowd.ts";
import { type DatabaseName, testDatabases } from "./databases.ts";
import { freePort } from "./ports.ts";
import { createDatabase } from "./postgres.ts";
import { exited, Ground, type ServedHub } from "./process.ts";

/** Enough for a crowd: what is tested is not the limit. */
const ENV = { PARLEY_RATE_LIMIT: "100000", PARLEY_LOG: "error" };

export class Restarts implements AsyncDisposable {
  readonly ground = new Ground();
  readonly database_url: string | undefined;
  readonly #drop: (() => Promise<void>) | undefined;
  #hub: ServedHub | undefined;
  #port: string | undefined;

  static async on(database: DatabaseName): Promise<Restarts> {
    return new Restarts(database === "postgres" ? await createDatabase() : undefined);
  }

  /** Several may share a database. Without one it is SQLite. */
  constructor(database?: { url: string; drop?: () => Promise<void> }) {
    this.database_url = database?.url;
    this.#drop = database?.drop;
  }

  /** What says which database it is: with its password it is refused on the command line. */
  get database(): Record<string, string> {
    return this.database_url ? { PARLEY_DATABASE_URL: this.database_url } : {};
  }

  get hub(): ServedHub {
    if (!this.#hub) throw new Error("no hub was started yet");
    return this.#hub;
  }

  get admin(): Caller {
    const token = readFileSync(join(this.ground.home, "admin.token"), "utf8").trim();
    return { url: () => this.hub.url, token };
  }

  /** Always on the same port: while there is no hub, nobody else answers its callers. */
  async start(env: Record<string, string> = {}): Promise<ServedHub> {
    this.#port ??= String(await freePort());
    this.#hub = await this.ground.serve(["--port", this.#port], { ...ENV, ...this.database, ...env });
    return this.#hub;
  }

  /** Resolves with how it ended, by itself or by what was done to it. */
  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { child } = this.hub;
    await exited(child);
    return { code: child.exitCode, signal: child.signalCode };
  }

  async kill(): Promise<void> {
    await this.hub.kill("SIGKILL");
  }

  async token(role: string, name: string): Promise<Caller> {
    const reply = await callTool(this.admin, "token_create", { role, name });
    if (reply?.status !== 200) throw new Error(`no token for ${name}: ${JSON.stringify(reply)}`);
    return { url: () => this.hub.url, token: reply.body.token };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ground[Symbol.asyncDispose]();
    await this.#drop?.();
  }
}

/** Runs the same tests with real hubs on every database we support. */
export function eachDatabaseOfHubs(tests: (database: DatabaseName) => void): void {
  for (const name of testDatabases()) describe(name, () => tests(name));
}
