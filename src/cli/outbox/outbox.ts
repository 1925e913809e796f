/**
 * What is to be sent and could not be: one file an operation in `<home>/outbox`. Promises:
 * - It is there whole or not at all, also after a crash of the machine, and for no other user's eyes.
 * - Its name is its idempotency key, and names are in the order in which they were made, whatever the clock does.
 * - It goes away only after the hub has answered: done, or refused, and then it lies in `refused` with the reason.
 */

import { ifThere, makeFolder, replaceFile } from "../../local/files.ts";
import { readOwn } from "../../local/rights.ts";
import { Failure, reasonOf } from "../core/failure.ts";
import type { Home } from "../core/home.ts";
import { programName } from "../core/program.ts";
import type { Sender } from "./sender.ts";

const { closeSync, constants, fsyncSync, openSync, readdirSync, renameSync, rmSync } =
  process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");

export const MOST_PENDING = 100;
/** The hub remembers keys for eight days: up to here asking again finds out whether it was done. */
export const KEPT_MS = 7 * 86_400_000;

export interface Operation {
  tool: string;
  args: Record<string, unknown>;
}

export interface Queued extends Operation {
  key: string;
  queued_at: string;
  sender: Sender;
  /** What led to it, whatever leads to the command that sends it. */
  cause?: string;
}

export interface Refused extends Queued {
  refused_at: string;
  code: string;
  reason: string;
}

/** Not what was written there: another program did that, or the disk. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.json$/;

/** A folder with one file an operation. */
class Folder<T extends Queued> {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** In order. */
  keys(): string[] {
    const names = ifThere(() => readdirSync(this.path)) ?? [];
    return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).sort();
  }

  /** Undefined if somebody else has dealt with it meanwhile. */
  read(key: string): T | undefined {
    try {
      // Written by us, whole.
      return ifThere(() => JSON.parse(readOwn(this.placeOf(key))) as T);
    } catch (error) {
      throw new Unreadable(reasonOf(error), { cause: error });
    }
  }

  all(): T[] {
    return this.keys().flatMap((key) => this.read(key) ?? []);
  }

  write(entry: T): void {
    replaceFile(this.placeOf(entry.key), `${JSON.stringify(entry)}\n`, { flush: true });
    this.#sync();
  }

  /** False if somebody else was faster. */
  remove(key: string): boolean {
    const removed = ifThere(() => {
      rmSync(this.placeOf(key));
      return true;
    });
    if (removed) this.#sync();
    return removed ?? false;
  }

  protected placeOf(key: string): string {
    return join(this.path, `${key}.json`);
  }

  #sync(): void {
    const opened = openSync(this.path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
  }
}

/** What waits, and below it what was refused. */
export class Outbox extends Folder<Queued> {
  readonly refused: Folder<Refused>;
  readonly #home: Home;

  constructor(home: Home) {
    super(join(home.path, "outbox"));
    this.refused = new Folder(join(this.path, "refused"));
    this.#home = home;
  }

  get lock(): string {
    return join(this.path, "lock");
  }

  /** One that cannot be read is put where it holds up nothing. Gives its new place. */
  setAside(key: string): string {
    makeFolder(this.refused.path);
    const place = join(this.refused.path, `${key}.unreadable`);
    renameSync(this.placeOf(key), place);
    return place;
  }

  /** A key for something that comes after everything that waits. */
  nextKey(): string {
    return keyAfter(this.keys().at(-1));
  }

  add(entry: Queued): void {
    makeFolder(this.#home.path);
    this.#home.refuseUntrusted();
    this.write(entry);
    // Counted afterwards: of many who come at once the last ones find that they are too many.
    if (this.keys().indexOf(entry.key) < MOST_PENDING) return;
    this.remove(entry.key);
    throw new Failure(
      "OUTBOX_FULL",
      `${MOST_PENDING} operations wait in ${this.path} already, so this one was not kept. See them: ${programName()} queue list`,
    );
  }

  /** Out of the way, with the reason. */
  refuse(entry: Queued, { code, reason }: { code: string; reason: string }): void {
    this.refused.write({ ...entry, refused_at: new Date().toISOString(), code, reason });
    this.remove(entry.key);
  }
}

/** A UUID of version 7 that sorts behind `last`, also when the clock was set back. */
export function keyAfter(last: string | undefined, now = Date.now()): string {
  const before = last === undefined ? -1 : Number.parseInt(last.slice(0, 8) + last.slice(9, 13), 16);
  const time = Math.max(now, before + 1)
    .toString(16)
    .padStart(12, "0");
  const random = process.getBuiltinModule("node:crypto").randomBytes(10).toString("hex");
  const variant = (8 + (Number.parseInt(random[3] ?? "0", 16) % 4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(8, 20)}`;
}
