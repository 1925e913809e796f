/**
 * Tells who watches files on this machine that there is work: `.wake` in the wake folder is written anew whenever a task
 * of the permanent space can be claimed. It is a hint and no more: the task itself is what is stored, and a hub that
 * starts with tasks waiting says so again.
 */

import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Committed } from "./db/database.ts";
import type { FeedEvent } from "./feed/index.ts";
import { makeFolder } from "./local/files.ts";

/** Whoever watches the file need not be told of each of many tasks: what comes meanwhile is told at once with the last. */
const APART_MS = 20;

interface Waking {
  wake_dir: string;
  space_id: string;
  /** Whether an event tells of something to do. */
  isWork: (event: FeedEvent) => boolean;
  report: (error: unknown) => void;
}

export class WakeFile {
  readonly #options: Waking;
  #writing = false;
  #again = false;

  constructor(options: Waking) {
    this.#options = options;
  }

  /** What this node has stored. What another node has is in that node's folder. */
  readonly committed = ({ space_id, events }: Committed): void => {
    if (space_id === this.#options.space_id && events.some(this.#options.isWork)) this.touch();
  };

  /** Many at once are one. */
  touch(): void {
    this.#again = true;
    if (!this.#writing) void this.#write();
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#again) {
      this.#again = false;
      await touch(this.#options.wake_dir).catch(this.#options.report);
      await sleep(APART_MS, undefined, { ref: false });
    }
    this.#writing = false;
  }
}

async function touch(folder: string): Promise<void> {
  const path = join(folder, ".wake");
  const file = await inFolder(folder, () => openOwn(path).catch(() => replace(path)));
  try {
    const now = new Date();
    await file.utimes(now, now);
  } finally {
    await file.close();
  }
}

const EMPTIED = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC;
/** Where the system has no such flag it is nothing. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Through no link, and it waits for no reader of a pipe: others may have put something in the place of a file. */
const openOwn = (path: string): Promise<FileHandle> => open(path, EMPTIED | NO_LINK, 0o600);

/** A file of our own in the place of whatever is there. */
export async function replace(path: string): Promise<FileHandle> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return open(path, "wx", 0o600);
}

/** Makes the folder where there is none, which is rarely so. */
export async function inFolder<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Not by Node's own `recursive`: where the system says ENOENT of a folder that cannot be made, as /proc does, that never ends.
    makeFolder(folder);
    return write();
  }
}
