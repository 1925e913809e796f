import { createReadStream } from "node:fs";
import { appendFile, open, readdir, rename, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { placeOf } from "./chain.ts";

const CURRENT = "audit.jsonl";
const OLDER = /^audit-(\d{15})\.jsonl$/;
const MOST_FILE_BYTES = 16 * 1024 * 1024;
const DAY_MS = 24 * 3600 * 1000;

/** For how long lines are kept, and how much of them. */
export interface Kept {
  days: number;
  bytes: number;
}

/** The files of a chain: one that is written to, and older ones by the number of their first line. One is begun each day. */
export class AuditFiles {
  readonly #home: string;
  readonly #kept: Kept;
  #bytes = 0;
  #first: { seq: number; day: string } | undefined;

  constructor(home: string, kept: Kept) {
    this.#home = home;
    this.#kept = kept;
  }

  get current(): string {
    return join(this.#home, CURRENT);
  }

  /** The last whole line there is, and how much of a torn one was taken away behind it. */
  async recover(): Promise<{ line: string | undefined; torn_bytes: number }> {
    let line: string | undefined;
    for await (const { text } of this.lines([CURRENT])) {
      this.#first ??= firstOf(text);
      line = text;
    }
    if (line !== undefined && placeOf(line) === undefined && this.#first === undefined) {
      // From before there was a chain.
      await rename(this.current, join(this.#home, "audit-before.jsonl"));
      line = undefined;
    }
    this.#bytes = (await stat(this.current).catch(absent))?.size ?? 0;
    const torn_bytes = await this.#mend();
    if (torn_bytes > 0) line = await this.#last([CURRENT]);
    return { line: line ?? (await this.#last((await this.older()).slice(-1))), torn_bytes };
  }

  /** A line of which a crash left only the beginning is no line. */
  async #mend(): Promise<number> {
    if (this.#bytes === 0) return 0;
    const file = await open(this.current, "r");
    try {
      const tail = Buffer.alloc(Math.min(this.#bytes, 64 * 1024));
      await file.read(tail, 0, tail.length, this.#bytes - tail.length);
      const torn = tail.length - 1 - tail.lastIndexOf("\n");
      if (torn > 0) await truncate(this.current, this.#bytes - torn);
      this.#bytes -= torn;
      return torn;
    } finally {
      await file.close();
    }
  }

  async #last(names: readonly string[]): Promise<string | undefined> {
    let last: string | undefined;
    for await (const { text } of this.lines(names)) last = text;
    return last;
  }

  /** All of it or nothing. */
  async append(text: string): Promise<void> {
    try {
      await appendFile(this.current, text, { mode: 0o600 });
    } catch (error) {
      if (this.#bytes > 0) await truncate(this.current, this.#bytes);
      else await rm(this.current, { force: true });
      throw error;
    }
    this.#first ??= firstOf(text.slice(0, text.indexOf("\n")));
    this.#bytes += Buffer.byteLength(text);
  }

  /** So that what is appended from now on is in the next file, if this one is full or of another day. */
  async rotate(now: Date): Promise<void> {
    if (!this.#first || this.#bytes === 0) return;
    const most = Math.min(MOST_FILE_BYTES, this.#kept.bytes / 4);
    if (this.#bytes < most && this.#first.day === dayOf(now.toISOString())) return;
    await rename(this.current, join(this.#home, `audit-${String(this.#first.seq).padStart(15, "0")}.jsonl`));
    this.#first = undefined;
    this.#bytes = 0;
  }

  async older(): Promise<string[]> {
    return (await readdir(this.#home)).filter((name) => OLDER.test(name)).sort();
  }

  async all(): Promise<string[]> {
    return [...(await this.older()), CURRENT];
  }

  async *lines(names: readonly string[]): AsyncGenerator<{ file: string; text: string }> {
    for (const file of names) {
      if (!(await stat(join(this.#home, file)).catch(absent))) continue;
      const input = createReadStream(join(this.#home, file), "utf8");
      for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) yield { file, text };
    }
  }

  /** Makes durable what was appended. */
  async sync(): Promise<void> {
    if (this.#bytes === 0) return;
    const file = await open(this.current, "r+");
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Which files are too old or too much, and the first line of those that are not. */
  async expired(now: Date): Promise<{ old: string[]; first_seq: number }> {
    const old: string[] = [];
    let first_seq = this.#first?.seq ?? 0;
    let bytes = this.#bytes;
    for (const name of (await this.older()).reverse()) {
      const { size, mtimeMs } = await stat(join(this.#home, name));
      bytes += size;
      const over = this.#kept.days > 0 && now.getTime() - mtimeMs > this.#kept.days * DAY_MS;
      if (over || bytes > this.#kept.bytes) old.push(name);
      else first_seq = Number(OLDER.exec(name)?.[1]);
    }
    return { old, first_seq };
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#home, name), { force: true });
  }
}

function firstOf(line: string): { seq: number; day: string } | undefined {
  const place = placeOf(line);
  return place && { seq: place.seq, day: dayOf(place.ts) };
}

const dayOf = (ts: string): string => ts.slice(0, 10);

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
