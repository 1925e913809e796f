import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { killIfThere } from "./kill.ts";
import { freePort } from "./ports.ts";
import type { PostgresServer } from "./postgres.ts";
import { findBinaries } from "./postgres-binaries.ts";
import { childrenOf, type Janitor, startJanitor } from "./postgres-janitor.ts";

const START_LIMIT_MS = 60_000;

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
`;
/** Nothing of a test outlives the machine, and what a killed server has written the kernel still has: no sync is waited for. */
const UNSYNCED = "fsync = off\n";

/** A server on a free port of 127.0.0.1, in a temporary folder, with a random password, never as root. */
export class TestPostgres implements PostgresServer {
  readonly #folder: string;
  readonly #janitor: Janitor;
  readonly #user = unprivilegedUser();
  readonly #password = randomBytes(16).toString("hex");
  #binaries = "";
  #port = 0;
  #process: ChildProcess | undefined;

  /** `durable`: a commit waits for the disk, as it does where messages are kept. */
  static async start({ durable = false } = {}): Promise<TestPostgres> {
    const server = new TestPostgres();
    try {
      await server.#initialise(durable ? SETTINGS : SETTINGS + UNSYNCED);
      await server.#launch();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "parley-postgres-"));
    if (this.#user) chownSync(this.#folder, this.#user.uid, this.#user.gid);
    this.#janitor = startJanitor(this.#folder);
  }

  get url(): string {
    return `postgres://parley:${this.#password}@127.0.0.1:${this.#port}/postgres`;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (!pid) throw new Error("PostgreSQL is not running");
    return pid;
  }

  async stop(): Promise<void> {
    await this.#end((pid) => killIfThere(pid, "SIGINT"));
  }

  async kill(): Promise<void> {
    await this.#end((pid) => {
      // Each has a session of its own, so there is no group to kill.
      for (const each of [pid, ...childrenOf(pid)]) killIfThere(each);
    });
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.#launch();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
    this.#janitor.dismiss();
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  get #log(): string {
    return join(this.#folder, "log");
  }

  /** A clean environment: PGDATA, PGPORT and the like are not meant for this server. */
  get #options() {
    return { cwd: this.#folder, env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" }, ...this.#user };
  }

  async #initialise(settings: string): Promise<void> {
    this.#binaries = findBinaries(this.#folder);
    this.#port = await freePort();
    const password = join(this.#folder, "password");
    writeFileSync(password, this.#password);
    // Collated by a language: whoever relies on byte order has to say so, and is found out here if not.
    const collation = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
    const access = ["--username=parley", `--pwfile=${password}`, "--auth=md5"];
    const initdb = promisify(execFile)(
      join(this.#binaries, "initdb"),
      [`--pgdata=${this.#data}`, ...collation, ...access, "--no-sync", "--no-instructions"],
      this.#options,
    );
    this.#janitor.watch(initdb.child.pid);
    await initdb;
    appendFileSync(join(this.#data, "postgresql.conf"), settings);
  }

  async #launch(): Promise<void> {
    const known = this.#process;
    for (const deadline = Date.now() + START_LIMIT_MS; ; ) {
      const child = await this.#spawn();
      if (await this.#answers(child, deadline)) return;
      const log = readFileSync(this.#log, "utf8").trim();
      // Clients know the port of a server that ran before; a new one can take another.
      if (log.includes("Address already in use") && !known) this.#port = await freePort();
      // Killed, and the kernel is still taking apart its last process.
      else if (!log.includes("shared memory block") || Date.now() > deadline)
        throw new Error(`it ended, or did not answer in time. It said: ${log.slice(-1000)}`);
      await pause(100);
    }
  }

  async #spawn(): Promise<ChildProcess> {
    const log = openSync(this.#log, "w");
    const args = ["-D", this.#data, "-p", String(this.#port)];
    // In a session of its own: Ctrl-C is for the tests, which then stop it.
    const options = { ...this.#options, detached: true };
    const child = spawn(join(this.#binaries, "postgres"), args, { ...options, stdio: ["ignore", log, log] });
    closeSync(log);
    await once(child, "spawn");
    this.#process = child;
    this.#janitor.watch(child.pid);
    return child;
  }

  async #answers(child: ChildProcess, deadline: number): Promise<boolean> {
    while (isRunning(child) && Date.now() < deadline) {
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 5_000 });
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        await pause(50); // still starting; the deadline decides
      }
    }
    return false;
  }

  async #end(signal: (pid: number) => void): Promise<void> {
    const child = this.#process;
    if (child?.pid && isRunning(child)) {
      const exit = once(child, "exit");
      signal(child.pid);
      await exit;
    }
    this.#janitor.watch(undefined);
  }
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("it does not run as root, and there is neither a user postgres nor nobody");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
