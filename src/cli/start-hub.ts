import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { Client } from "./client.ts";
import { Failure, REFUSED } from "./failure.ts";
import { type Home, isAlive, isMissing, makeFolder, type RunningHub } from "./home.ts";
import { LAUNCHER } from "./program.ts";
import { takeStartLock } from "./start-lock.ts";

const LIMIT_MS = 60_000;
const PAUSE_MS = 25;
const LOG_LIMIT = 5_000_000;
const LOG_LINES = 10;

/**
 * The hub of a data folder, started if none runs. However many ask at once, one hub
 * comes of it, and all of them are given that one, ready.
 */
export async function ensureHub(home: Home, note: (text: string) => void): Promise<RunningHub> {
  prepare(home);
  const deadline = Date.now() + LIMIT_MS;
  while (Date.now() < deadline) {
    const hub = home.hub();
    if (hub && (await isReady(hub.url))) return hub;
    if (!hub) {
      using lock = takeStartLock(home.startLock);
      if (lock && !home.hub()) {
        note(`Starting the hub of ${home.path} …`);
        await startHub(home, deadline);
        continue;
      }
    }
    await pause();
  }
  throw new Failure(
    "HUB_UNREACHABLE",
    `The hub of ${home.path} is not ready after ${LIMIT_MS / 1000} s. See ${home.log}`,
  );
}

/** Starts one and waits until it is ready, or until it turns out that another was faster. */
async function startHub(home: Home, deadline: number): Promise<void> {
  const log = openLog(home.log);
  const from = fstatSync(log).size;
  const child = spawn(LAUNCHER, ["serve", "--quiet", "--home", home.path], {
    detached: true,
    // Not ours: the folder we were called in may be on a disk that somebody wants to unmount.
    cwd: home.path,
    env: hubEnv(),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = endOf(child);
  while (Date.now() < deadline) {
    const hub = home.hub();
    if (hub && (await isReady(hub.url))) break;
    const end = await Promise.race([ended, pause()]);
    if (end === undefined) continue;
    if (home.hub()) break;
    throw new Failure("HUB_UNREACHABLE", `The hub could not be started (${end.why}).${lastLines(home.log, from)}`, {
      exit: end.code === REFUSED ? REFUSED : 1,
    });
  }
  child.unref();
}

/** What the hub needs to know; not as whom we act. */
function hubEnv(): NodeJS.ProcessEnv {
  const { PARLEY_TOKEN: _token, PARLEY_URL: _url, PARLEY_SPACE: _space, ...env } = process.env;
  return env;
}

function endOf(child: ChildProcess): Promise<{ code: number | null; why: string }> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, why: error.message }));
    child.on("exit", (code, signal) => resolve({ code, why: signal ? `ended by ${signal}` : `exit code ${code}` }));
  });
}

export async function isReady(url: string): Promise<boolean> {
  try {
    return (await new Client({ url, token: undefined, space: undefined }).get("/readyz", 5_000)).status === 200;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function prepare(home: Home): void {
  try {
    makeFolder(home.path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("HUB_UNREACHABLE", `The data folder ${home.path} cannot be made: ${why}`, {
      cause,
      exit: REFUSED,
    });
  }
}

/** One old log is kept, so that a hub which is started again and again cannot fill the disk. */
function openLog(path: string): number {
  try {
    if (statSync(path).size > LOG_LIMIT) renameSync(path, `${path}.1`);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return openSync(path, "a", 0o600);
}

function lastLines(path: string, from: number): string {
  const lines = readFileSync(path).subarray(from).toString("utf8").trim().split("\n");
  return lines[0] ? ` Its log, ${path}, ends with:\n${lines.slice(-LOG_LINES).join("\n")}` : "";
}

const pause = (): Promise<undefined> => new Promise((done) => setTimeout(done, PAUSE_MS, undefined));

/** Waits until the process is gone. False if it is still there at the end. */
export async function untilGone(pid: number, limit_ms: number): Promise<boolean> {
  const deadline = Date.now() + limit_ms;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await pause();
  }
  return true;
}
