import { accessSync, constants, existsSync, rmSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { ownFolder } from "./db/owner.ts";
import { StartRefused } from "./errors.ts";
import { makeFolder, replaceFile } from "./local/files.ts";
import { startOf } from "./local/processes.ts";
import { readOwn, secure } from "./local/rights.ts";
import { SETTINGS_FILE, settingsOf } from "./local/settings.ts";
import { VERSION } from "./version.ts";

/** The hub's data folder: owned by one hub at a time, readable by its user alone. */
export class Folder implements Disposable {
  readonly path: string;
  /** The last hub here did not end by itself. */
  readonly after_crash: boolean;
  /** What had to be put right before it could be trusted, in words. */
  readonly mended: readonly string[];
  readonly #owner: Disposable;
  #trusted = true;

  constructor(config: Config) {
    refuseOpenDoor(config);
    this.path = config.home;
    makeWritable(this.path);
    this.mended = secured(this.path);
    this.#owner = ownFolder(this.path);
    this.after_crash = existsSync(join(this.path, "hub.json"));
  }

  /** How the hub runs here: the next one is started the same way, whoever starts it. */
  remember(config: Config): void {
    const text = `${JSON.stringify(settingsOf(config))}\n`;
    if (this.read(SETTINGS_FILE) !== text) this.write(SETTINGS_FILE, text);
  }

  /** Tells the command line where the hub is. */
  announce({ url, socket }: { url: string; socket: string }): void {
    const { pid } = process;
    const hub = { pid, pid_start: startOf(pid), url, socket, version: VERSION, started_at: new Date().toISOString() };
    this.write("hub.json", `${JSON.stringify(hub)}\n`);
  }

  /** The disk failed: the next hub here looks at the database first, as after a crash. */
  distrust(): void {
    this.#trusted = false;
  }

  read(name: string): string | undefined {
    const file = join(this.path, name);
    return existsSync(file) ? readOwn(file) : undefined;
  }

  /** All or nothing, and for no other user's eyes. */
  write(name: string, text: string): void {
    replaceFile(join(this.path, name), text, { flush: true });
  }

  [Symbol.dispose](): void {
    if (this.#trusted) rmSync(join(this.path, "hub.json"), { force: true });
    this.#owner[Symbol.dispose]();
  }
}

function makeWritable(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartRefused(
      `The data folder ${path} cannot be written to: ${(error as Error).message}. Choose another with --home.`,
      {
        cause: error,
      },
    );
  }
}

function secured(path: string): string[] {
  try {
    return secure(path);
  } catch (error) {
    throw new StartRefused(`The data folder ${path} is not safe. ${(error as Error).message}`, { cause: error });
  }
}

/** Tokens would cross the network in the clear. */
function refuseOpenDoor({ host, insecure }: Config): void {
  const local = host === "localhost" || (isIP(host) > 0 && (host.startsWith("127.") || host === "::1"));
  if (!local && !insecure)
    throw new StartRefused(
      `Listening on ${host} would send tokens in the clear. Put a proxy with TLS in front and say --insecure, or listen on 127.0.0.1.`,
    );
}
