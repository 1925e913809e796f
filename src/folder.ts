import { accessSync, constants, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Ctx } from "./context.ts";
import { MAIN_SPACE } from "./db/open.ts";
import { ownFolder } from "./db/owner.ts";
import { StartRefused } from "./errors.ts";
import type { Hub } from "./hub.ts";
import { createToken } from "./modules/identity/index.ts";
import { VERSION } from "./version.ts";

/** The hub's data folder: owned by one hub at a time, readable by its user alone. */
export class Folder implements Disposable {
  readonly path: string;
  /** The last hub here did not end by itself. */
  readonly after_crash: boolean;
  readonly #owner: Disposable;

  constructor(config: Config) {
    refuseOpenDoor(config);
    this.path = config.home;
    makeWritable(this.path);
    this.#owner = ownFolder(this.path);
    this.after_crash = existsSync(join(this.path, "hub.json"));
  }

  /** Tells the command line where the hub is. */
  announce(url: string): void {
    this.write(
      "hub.json",
      `${JSON.stringify({ pid: process.pid, url, version: VERSION, started_at: new Date().toISOString() })}\n`,
    );
  }

  read(name: string): string | undefined {
    const file = join(this.path, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** All or nothing, and for no other user's eyes. */
  write(name: string, text: string): void {
    const file = join(this.path, name);
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  [Symbol.dispose](): void {
    rmSync(join(this.path, "hub.json"), { force: true });
    this.#owner[Symbol.dispose]();
  }
}

/** The token of the folder's owner, made on the first start and whenever the file or the database is new. */
export async function adminToken(folder: Folder, hub: Hub, ctx: (space_id: string) => Ctx): Promise<void> {
  const token = folder.read("admin.token")?.trim();
  if (token && (await isKnown(hub, token))) return;
  const made = await createToken(ctx(MAIN_SPACE), { role: "admin", name: "admin" });
  folder.write("admin.token", `${made.token}\n`);
}

async function isKnown(hub: Hub, token: string): Promise<boolean> {
  try {
    await hub.credentials.authenticate({ token, space_id: undefined, caller_agent: undefined });
    return true;
  } catch {
    // Whatever is wrong with it, a new one is not.
    return false;
  }
}

function makeWritable(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
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

/** Tokens would cross the network in the clear. */
function refuseOpenDoor({ host, insecure }: Config): void {
  const local = host === "localhost" || (isIP(host) > 0 && (host.startsWith("127.") || host === "::1"));
  if (!local && !insecure)
    throw new StartRefused(
      `Listening on ${host} would send tokens in the clear. Put a proxy with TLS in front and say --insecure, or listen on 127.0.0.1.`,
    );
}
