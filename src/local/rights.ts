/**
 * Whose a data folder is. Whoever can write there decides what the hub believes and who is given its tokens, so it has
 * to be ours and nobody else may change it. Links are no part of it: one that somebody planted leads elsewhere.
 */
const { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, statSync } =
  process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");

/** Others may write; they may read as well. */
const CHANGEABLE = 0o022;
const OPEN = 0o077;
const STICKY = 0o1000;

/** What tells a data folder from any other; the first two are there before a hub is. */
const MARKS = ["start.lock", "hub.log", "owner.lock", "admin.token", "hub-settings.json"];

/** What the hub and the command line open in a data folder by its name. */
const NAMES =
  /^((parley\.db|owner\.lock)(-(wal|shm|journal))?|(hub|hub-settings|demo|runner|servers)\.json|admin\.token|audit.*|(hub|demo)\.log(\.\d+)?|(start|drain)\.lock|secret\.key|node\.id|runs|sessions|outbox|triggers|identities|hooks|watch|workers|channel|wake|backups|archives)$/;

/** Why nothing in this folder can be believed; undefined where it can. One call: a hook makes it, too. */
export function untrusted(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  if (isForeign(uid)) return "belongs to another user";
  return mode & CHANGEABLE ? "can be changed by other users" : undefined;
}

/** Where the system has no such flag it is nothing. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Never through a link, and of nothing but a file: whoever opens a pipe waits for its writer, and the hub with it. */
export function readOwn(path: string): string {
  const file = openSync(path, constants.O_RDONLY | NO_LINK);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a file.`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a folder that the hub is about to use its owner's alone. Gives what was put right, in words; throws an `Error`
 * with the reason where that would not be enough, or where it is none of ours to change.
 */
export function secure(path: string): string[] {
  const { uid, mode } = statSync(path);
  if (isForeign(uid))
    throw new Error(`It belongs to another user. Take another with --home, or: sudo chown -R $(id -u) ${path}`);
  const names = readdirSync(path);
  const found = names.map((name) => ({ name, stat: lstatSync(join(path, name)) }));
  const changeable = process.platform !== "win32" && (mode & CHANGEABLE) !== 0;
  for (const { name, stat } of found) if (changeable || NAMES.test(name)) refusePlanted(name, stat, changeable);
  if (process.platform === "win32" || !(mode & OPEN)) return [];

  const isOurs = names.length === 0 || names.some((name) => MARKS.includes(name));
  if (isOurs && !(mode & STICKY)) {
    chmodSync(path, mode & 0o700);
    return [`Other users could ${changeable ? "change" : "read"} the data folder ${path}. It is yours alone now.`];
  }
  // Not a folder of ours: what else is in it may be open to others on purpose.
  if (changeable) throw new Error(`Other users can change it. Take another with --home, or: chmod go-w ${path}`);
  return [];
}

function refusePlanted(name: string, stat: NonNullable<ReturnType<typeof lstatSync>>, wasChangeable: boolean): void {
  const why = stat.isSymbolicLink()
    ? "is a link, and links are not followed here"
    : isForeign(Number(stat.uid))
      ? "belongs to another user"
      : wasChangeable && stat.isFile() && stat.nlink > 1
        ? "has another name elsewhere, and other users could change the folder"
        : undefined;
  if (why) throw new Error(`${name} in it ${why}. See what it is, and remove it.`);
}

export const isForeign = (uid: number): boolean => process.geteuid !== undefined && uid !== process.geteuid();

/** Why a file that says what is to be run is not believed; undefined where it is. */
export function untrustedFile(path: string): string | undefined {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return "is a link";
  if (!stat.isFile()) return "is not a file";
  if (isForeign(stat.uid)) return "belongs to another user";
  return process.platform !== "win32" && stat.mode & CHANGEABLE ? "can be changed by other users" : undefined;
}
