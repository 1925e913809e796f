/**
 * Tells who watches files on this machine that there is work: `.wake` in the wake folder is written anew whenever a task
 * of the permanent space can be claimed. It is a hint and no more: the task itself is what is stored, and a hub that
 * starts with tasks waiting says so again.
 */
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Committed } from "./db/database.ts";
import type { FeedEvent } from "./feed/index.ts";

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
  await inFolder(folder, () => writeFile(path, "", { mode: 0o600 }));
  const now = new Date();
  await utimes(path, now, now);
}

/** Makes the folder where there is none, which is rarely so. */
export async function inFolder<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return write();
  }
}
