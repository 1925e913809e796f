import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { makeFolder } from "../../local/files.ts";
import { isAlive } from "../../local/processes.ts";
import { type FolderSettings, readSettings } from "../../local/settings.ts";
import { LAUNCHER } from "../root.ts";
import { Client, type Target } from "./client.ts";
import { Failure, REFUSED, reasonOf, recover } from "./failure.ts";
import { type Home, placeOf, type RunningHub, unsafe } from "./home.ts";
import { hubEnv } from "./hub-env.ts";
import type { Env } from "./io.ts";
import { pause } from "./patience.ts";
import { takeBriefly } from "./process-lock.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const LIMIT_MS = 60_000;
const PAUSE_MS = 25;
const LOG_LIMIT = 5_000_000;
const LOG_LINES = 10;

/**
 * The hub of a data folder, started if none runs. However many ask at once, one hub
 * comes of it, and all of them are given that one, ready.
 */
export async function ensureHub(home: Home, env: Env, note: (text: string) => void): Promise<RunningHub> {
  prepare(home);
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline) {
    const hub = home.hub();
    if (hub && (await isReady(placeOf(hub)))) return hub;
    if (!hub) {
      using lock = takeBriefly(home.startLock);
      if (lock && !home.hub()) {
        note(`Starting the hub of ${home.path} …`);
        await startHub(home, env, deadline);
        continue;
      }
    }
    await pause(PAUSE_MS);
  }
  throw new Failure(
    "HUB_UNREACHABLE",
    `The hub of ${home.path} is not ready after ${LIMIT_MS / 1000} s. See ${home.log}`,
  );
}

/** Starts one and waits until it is ready, or until it turns out that another was faster. */
async function startHub(home: Home, env: Env, deadline: number): Promise<void> {
  const known = remembered(home) !== undefined;
  const log = openLog(home.log);
  const from = fstatSync(log).size;
  const child = spawn(LAUNCHER, ["serve", "--quiet", "--home", home.path], {
    detached: true,
    // Not ours: the folder we were called in may be on a disk that somebody wants to unmount.
    cwd: home.path,
    env: hubEnv(env, known),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = endOf(child);
  while (Date.now() < deadline) {
    const hub = home.hub();
    if (hub && (await isReady(hub))) break;
    const end = await Promise.race([ended, pause(PAUSE_MS)]);
    if (!end) continue;
    if (home.hub()) break;
    // Another was faster, and is not through with starting yet: the caller waits for that one.
    if (/^parley: Another hub/m.test(logFrom(home.log, from))) break;
    throw new Failure("HUB_UNREACHABLE", `The hub could not be started (${end.why}).${lastLines(home.log, from)}`, {
      exit: end.code === REFUSED ? REFUSED : 1,
    });
  }
  child.unref();
}

function remembered(home: Home): FolderSettings | undefined {
  try {
    return readSettings(home.path);
  } catch (cause) {
    throw refused(`What ${home.path} remembers of its hub cannot be read: ${reasonOf(cause)}.`, cause);
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; why: string }> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, why: error.message }));
    child.on("exit", (code, signal) => resolve({ code, why: signal ? `ended by ${signal}` : `exit code ${code}` }));
  });
}

export const isReady = ({ url, socket }: Pick<Target, "url" | "socket">): Promise<boolean> =>
  new Client({ url, socket, token: undefined, space: undefined })
    .get("/readyz", 5_000)
    .then(({ status }) => status === 200, recover(false));

function prepare(home: Home): void {
  try {
    makeFolder(home.path);
  } catch (cause) {
    throw refused(`The data folder ${home.path} cannot be made: ${reasonOf(cause)}`, cause);
  }
}

const refused = (message: string, cause: unknown): Failure =>
  new Failure("HUB_UNREACHABLE", message, { cause, exit: REFUSED });

/** One old log is kept, so that a hub which is started again and again cannot fill the disk. */
function openLog(path: string): number {
  const there = lstatSync(path, { throwIfNoEntry: false });
  // Somebody may have put it there to have us write elsewhere.
  if (there?.isSymbolicLink()) throw unsafe(`${path} is a link, and links are not followed here. Remove it.`);
  if (there && there.size > LOG_LIMIT) renameSync(path, `${path}.1`);
  return openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
}

const logFrom = (path: string, from: number): string => readFileSync(path).subarray(from).toString("utf8");

function lastLines(path: string, from: number): string {
  const lines = logFrom(path, from).trim().split("\n");
  return lines[0] ? ` Its log, ${path}, ends with:\n${lines.slice(-LOG_LINES).join("\n")}` : "";
}

/** Waits until the process is gone. False if it is still there at the end. */
export async function untilGone(pid: number, limit_ms: number): Promise<boolean> {
  const deadline = Date.now() + limit_ms;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await pause(PAUSE_MS);
  }
  return true;
}
