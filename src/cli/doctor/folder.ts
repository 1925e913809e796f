import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { isForeign, untrusted } from "../../local/rights.ts";
import { reasonOf } from "../core/failure.ts";
import { briefLock } from "../core/process-lock.ts";
import { type Check, fail, mend, type Patient, pass, size, warn } from "./check.ts";

const MIB = 1024 * 1024;
const LITTLE_SPACE = 500 * MIB;
const NO_SPACE = 50 * MIB;
const LONG_LOG = 256 * MIB;

/** SQLite needs locks that hold and a log in shared memory, which file systems on a network do not give. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
]);

const NAME = "data folder";
const ELSEWHERE = "Take another with --home";

/** Why nothing can be tried in this folder; undefined where it can. */
export function unusable(path: string): Check | undefined {
  const at = nearest(path);
  const stat = statSync(at);
  const isThere = at === path;
  if (!stat.isDirectory())
    return fail(
      NAME,
      isThere ? `${path} is not a folder.` : `${path} cannot be made: ${at} is not a folder.`,
      `${ELSEWHERE}, or remove it.`,
    );
  if (isThere && isForeign(stat.uid))
    return fail(
      NAME,
      `${path} belongs to another user.`,
      `${ELSEWHERE}, or give it to yourself: sudo chown -R $(id -u) ${path}`,
    );
  try {
    accessSync(at, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const said = `${path} cannot be ${isThere ? "written" : "made"}: ${reasonOf(error)}.`;
    return fail(
      NAME,
      said,
      isForeign(stat.uid) || (stat.mode & 0o700) === 0o700 ? `${ELSEWHERE}.` : `${ELSEWHERE}, or: chmod u+rwx ${at}`,
    );
  }
}

function nearest(path: string): string {
  let at = path;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** The data folder: whether it has room, and what was left behind in it. */
export function checkFolder(patient: Patient): Check[] {
  const { home } = patient.cli;
  if (!existsSync(home.path))
    return [
      pass(NAME, `${home.path} is not there yet; the first command that needs the hub makes it.`),
      disk(home.path),
    ];
  return [rights(patient), fileSystem(home.path), disk(home.path), ...log(patient), ...locks(patient)];
}

function rights(patient: Patient): Check {
  const { path } = patient.cli.home;
  const open = openToOthers(path, statSync(path).mode);
  if (open.length === 0) return pass(NAME, `${path} is yours alone.`);
  const some = open.map((file) => relative(path, file) || path).slice(0, 5);
  return mend(
    patient,
    fail(
      NAME,
      `Other users may read or change ${some.join(", ")}${open.length > 5 ? ", …" : ""}.`,
      `chmod -R go= ${path}`,
    ),
    () => {
      for (const file of open) chmodSync(file, lstatSync(file).mode & 0o700);
    },
  );
}

/** In a folder that only its owner may enter it does not matter how open things are; tokens are closed all the same. */
function openToOthers(path: string, mode: number): string[] {
  const secrets = [join(path, "admin.token"), ...under(join(path, "identities")), ...under(join(path, "outbox"))];
  return [...(mode & 0o077 ? [path] : []), ...secrets.filter((file) => isOpen(file))];
}

function isOpen(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
}

function under(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...found.map((entry) => join(entry.parentPath, entry.name))];
}

function fileSystem(path: string): Check {
  const kind = NETWORK_FILE_SYSTEMS.get(statfsSync(path).type);
  if (!kind) return pass("file system", "It is on a disk of this machine, as far as can be told.");
  return warn(
    "file system",
    `The data folder is on ${kind}.`,
    "Put it on a disk of this machine (--home), or use PostgreSQL.",
  );
}

function disk(path: string): Check {
  const { bavail, bsize } = statfsSync(nearest(path));
  const free = bavail * bsize;
  if (free > LITTLE_SPACE) return pass("disk space", `${size(free)} free.`);
  const advice = "Make room, or move the data folder (--home).";
  return free > NO_SPACE
    ? warn("disk space", `Only ${size(free)} free.`, advice)
    : fail("disk space", `${size(free)} free: the hub will soon take no more.`, advice);
}

function log({ cli }: Patient): Check[] {
  const stat = statSync(join(cli.home.path, "parley.db-wal"), { throwIfNoEntry: false });
  if (!stat) return [];
  if (stat.size < LONG_LOG) return [pass("write-ahead log", `${size(stat.size)}.`)];
  return [
    warn(
      "write-ahead log",
      `It has grown to ${size(stat.size)}: something keeps an old view of the database open.`,
      `Close programs that read the database file, then: ${cli.line("stop")}`,
    ),
  ];
}

function locks(patient: Patient): Check[] {
  const { home } = patient.cli;
  const left = existsSync(join(home.path, "hub.json")) && untrusted(home.path) === undefined && !home.hub();
  const lock = warn("start lock", `${home.startLock} was left behind.`, "It is cleared away by itself.");
  const isLocked = existsSync(home.startLock) && briefLock(home.startLock).isFree();
  const advice = "Nothing to do: the next one looks at the database first.";
  return [
    ...(left ? [warn("last stop", "The last hub here did not end by itself.", advice)] : []),
    ...(isLocked ? [mend(patient, lock, () => rmSync(home.startLock))] : []),
  ];
}
