/**
 * The way to the hub of a data folder: a socket in that folder, which its owner alone may enter. A port says nothing
 * about who listens there; after a crash it may be anybody, and would be sent a token
 * (docs/decisions/0013-a-socket-in-the-data-folder.md).
 */
import type { Server, Socket } from "node:net";

const { basename, dirname, join } = process.getBuiltinModule("node:path");

const NAME = "hub.sock";
/** What every system takes: 104 bytes on macOS and the BSDs, 108 on Linux, with the zero at the end. */
const MOST_BYTES = 103;

/** Windows has no such files: there the hub says in `hub.json` how its pipe is called. */
const isWindows = process.platform === "win32";

const socketIn = (home: string): string => join(home, NAME);

/** One that nobody has yet. */
export const newSocket = (home: string): string =>
  isWindows ? `\\\\.\\pipe\\parley-${process.getBuiltinModule("node:crypto").randomUUID()}` : socketIn(home);

/** Where the hub listens whose `hub.json` says `told`; undefined for one that is too old to have a socket. */
export const socketOf = (home: string, told: unknown): string | undefined =>
  typeof told !== "string" ? undefined : isWindows ? told : socketIn(home);

/** Whether a socket can be made at this path, and reached. */
export const isReachable = (path: string): boolean => isShort(path) || process.platform === "linux";

const isShort = (path: string): boolean => isWindows || Buffer.byteLength(path) <= MOST_BYTES;

export function connectTo(path: string): Socket {
  const { connect, Socket } = process.getBuiltinModule("node:net");
  if (isShort(path)) return connect({ path });
  try {
    using folder = openFolder(path);
    // The connection is made before this returns, so the folder need not stay open.
    return connect({ path: folder.path });
  } catch (error) {
    // Without the folder there is no socket either, and that is heard as every other failure is.
    return new Socket().destroy(error as Error);
  }
}

/** Takes connections at `path` until it is disposed of. A socket that a crash left there is in nobody's way. */
export async function listenAt(server: Server, path: string): Promise<Disposable> {
  const { chmodSync, rmSync } = process.getBuiltinModule("node:fs");
  if (!isWindows) rmSync(path, { force: true });
  // Kept open: when the server is closed its socket is removed by the name under which it was made.
  const folder = isShort(path) ? undefined : openFolder(path);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path: folder?.path ?? path }, resolve);
    });
    server.removeAllListeners("error");
    if (!isWindows) chmodSync(path, 0o600);
  } catch (error) {
    folder?.[Symbol.dispose]();
    throw error;
  }
  return { [Symbol.dispose]: () => folder?.[Symbol.dispose]() };
}

/** A short name for a file in a folder whose path is too long. */
function openFolder(path: string): Disposable & { path: string } {
  const { closeSync, constants, openSync } = process.getBuiltinModule("node:fs");
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(folder),
  };
}
