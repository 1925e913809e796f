import { chmodSync, closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartRefused } from "../errors.ts";
import { troubleOf } from "./trouble.ts";

/**
 * Makes this process the only hub of a data folder, until it ends. Node has no flock, but
 * SQLite locks its files with one: an open `begin exclusive` on a small file beside the
 * database, which the kernel frees even after kill -9.
 */
export function ownFolder(home: string): Disposable {
  const file = join(home, "owner.lock");
  makeOwn(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if (troubleOf(error) !== "busy")
      throw new StartRefused(`The file owner.lock in ${home} cannot be locked: ${(error as Error).message}.`, {
        cause: error,
      });
    throw new StartRefused(`Another hub${pidOfOwner(home)} already serves ${home}.`, { cause: error, command: "stop" });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

/**
 * SQLite would make a file that all may read. One that is there is not opened to be changed: closing it again would
 * free a lock that this process holds on it.
 */
function makeOwn(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    chmodSync(file, 0o600);
  }
}

function pidOfOwner(home: string): string {
  try {
    // Written by the hub itself; anything else in it only makes this sentence shorter.
    const { pid } = JSON.parse(readFileSync(join(home, "hub.json"), "utf8")) as { pid?: number };
    return pid ? ` (pid ${pid})` : "";
  } catch {
    return "";
  }
}
