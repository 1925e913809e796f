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

export class Outbox {
  readonly folder: string;
  readonly #home: Home;

  constructor(home: Home) {
    this.#home = home;
    this.folder = join(home.path, "outbox");
  }

  get lock(): string {
    return join(this.folder, "lock");
  }

  /** In order. */
  keys(): string[] {
    return keysIn(this.folder);
  }

  refusedKeys(): string[] {
    return keysIn(join(this.folder, "refused"));
  }

  /** Undefined if somebody else has dealt with it meanwhile. */
  read(key: string): Queued | undefined {
    return readIn<Queued>(this.folder, key);
  }

  /** One that cannot be read is put where it holds up nothing. Gives its new place. */
  setAside(key: string): string {
    const folder = join(this.folder, "refused");
    makeFolder(folder);
    const place = join(folder, `${key}.unreadable`);
    renameSync(join(this.folder, `${key}.json`), place);
    return place;
  }

  refused(): Refused[] {
    const folder = join(this.folder, "refused");
    return this.refusedKeys().flatMap((key) => readIn<Refused>(folder, key) ?? []);
  }

  /** A key for something that comes after everything that waits. */
  nextKey(): string {
    return keyAfter(this.keys().at(-1));
  }

  add(entry: Queued): void {
    makeFolder(this.#home.path);
    this.#home.refuseUntrusted();
    makeFolder(this.folder);
    write(this.folder, entry.key, entry);
    // Counted afterwards: of many who come at once the last ones find that they are too many.
    if (this.keys().indexOf(entry.key) < MOST_PENDING) return;
    this.remove(entry.key);
    throw new Failure(
      "OUTBOX_FULL",
      `${MOST_PENDING} operations wait in ${this.folder} already, so this one was not kept. See them: ${programName()} queue list`,
    );
  }

  /** False if somebody else was faster. */
  remove(key: string): boolean {
    return removeIn(this.folder, key);
  }

  /** Out of the way, with the reason. */
  refuse(entry: Queued, { code, reason }: { code: string; reason: string }): void {
    const folder = join(this.folder, "refused");
    makeFolder(folder);
    write(folder, entry.key, { ...entry, refused_at: new Date().toISOString(), code, reason });
    this.remove(entry.key);
  }

  forgetRefused(key: string): boolean {
    return removeIn(join(this.folder, "refused"), key);
  }
}

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.json$/;

function keysIn(folder: string): string[] {
  const names = ifThere(() => readdirSync(folder)) ?? [];
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).sort();
}

function readIn<T>(folder: string, key: string): T | undefined {
  try {
    // Written by us, whole.
    return ifThere(() => JSON.parse(readOwn(join(folder, `${key}.json`))) as T);
  } catch (error) {
    throw new Unreadable(reasonOf(error), { cause: error });
  }
}

function write(folder: string, key: string, value: object): void {
  replaceFile(join(folder, `${key}.json`), `${JSON.stringify(value)}\n`, { flush: true });
  syncFolder(folder);
}

function removeIn(folder: string, key: string): boolean {
  const removed = ifThere(() => {
    rmSync(join(folder, `${key}.json`));
    return true;
  });
  if (!removed) return false;
  syncFolder(folder);
  return true;
}

function syncFolder(folder: string): void {
  const opened = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
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
