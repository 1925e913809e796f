import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { continues, storable } from "../text.ts";

/** What is kept of an attempt's output in its file, and of that in the database. */
const MOST_FILE = 1024 * 1024;
const MOST_TAIL = 64 * 1024;
/** Secrets shorter than this are no secrets, and would be found everywhere. */
const LEAST_SECRET = 8;
const TOKENS = /(parley|whsec)_[A-Za-z0-9+/=_-]{16,100}/g;
/** As long as the longest of those may be. */
const LONGEST_TOKEN = 107;

/** Takes secrets out of a stream, also such as come in pieces. Works on bytes, as characters of latin1. */
class Mask {
  readonly #secrets: readonly string[];
  readonly #hold: number;
  #rest = "";

  constructor(secrets: readonly string[]) {
    // One of several lines is masked line by line, so that nothing has to wait for more than the end of a line.
    const lines = secrets.flatMap((secret) => secret.split(/\r?\n/)).filter(({ length }) => length >= LEAST_SECRET);
    this.#secrets = [...new Set(lines)]
      .sort((a, b) => b.length - a.length)
      .map((secret) => Buffer.from(secret).toString("latin1"));
    this.#hold = Math.max(LONGEST_TOKEN, ...this.#secrets.map(({ length }) => length));
  }

  /** What may be shown of it by now. */
  take(chunk: Buffer): string {
    const text = this.#masked(this.#rest + chunk.toString("latin1"), false);
    const cut = Math.max(text.lastIndexOf("\n") + 1, text.length - this.#hold, 0);
    this.#rest = text.slice(cut);
    return text.slice(0, cut);
  }

  end(): string {
    const rest = this.#masked(this.#rest, true);
    this.#rest = "";
    return rest;
  }

  #masked(text: string, is_all: boolean): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, "[secret]");
    return masked.replace(TOKENS, (token: string, kind: string, at: number, whole: string) =>
      // One at the very end may go on in the next piece, and is held back until then.
      is_all || at + token.length < whole.length ? `${kind}_[secret]` : token,
    );
  }
}

/**
 * What a program prints, in a file of bounded size: its end, where it is longer. Whoever writes waits for the disk, so a
 * flood goes no faster than it can be dropped.
 */
export class Output {
  readonly #path: string;
  readonly #secrets: readonly string[];
  readonly #ends: (() => Promise<void>)[] = [];
  readonly #most: number;
  #file: FileHandle | undefined;
  #size = 0;
  /** Kept in memory: the file's second half, which is what stays when it is full. */
  #recent: Buffer[] = [];
  #recent_size = 0;
  #total = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, { secrets, most = MOST_FILE }: { secrets: readonly string[]; most?: number }) {
    this.#path = path;
    this.#secrets = secrets;
    this.#most = most;
  }

  /** How many bytes of text there were in all, secrets taken out: what of it is kept is the last so many of these. */
  get total(): number {
    return this.#total;
  }

  async open(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await rm(this.#path, { force: true });
    this.#file = await open(this.#path, "wx", 0o600);
  }

  /**
   * What takes in one of its streams; resolves when there is room for more. Of each by itself secrets are taken out, and
   * characters put together: what comes in pieces may have something of the other stream between them.
   */
  stream(): (chunk: Buffer) => Promise<void> {
    const mask = new Mask(this.#secrets);
    const decoder = new StringDecoder("utf8");
    const decode = (masked: string): string => decoder.write(Buffer.from(masked, "latin1"));
    this.#ends.push(() => this.#append(decode(mask.end()) + decoder.end()));
    return (chunk) => this.#append(decode(mask.take(chunk)));
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.#file?.close();
    this.#file = undefined;
  }

  /** The end of it, as text. */
  tail(most = MOST_TAIL): string {
    const all = Buffer.concat(this.#recent);
    let from = Math.max(0, all.length - most);
    // It may be cut in the middle of a character.
    while (continues(all[from])) from += 1;
    return all.toString("utf8", from);
  }

  #append(text: string): Promise<void> {
    if (text === "") return this.#writing;
    const bytes = Buffer.from(storable(text));
    this.#writing = this.#writing.then(() => this.#store(bytes));
    return this.#writing;
  }

  async #store(bytes: Buffer): Promise<void> {
    this.#total += bytes.length;
    this.#remember(bytes);
    if (this.#size + bytes.length > this.#most) return this.#startOver();
    await this.#file?.write(bytes);
    this.#size += bytes.length;
  }

  #remember(bytes: Buffer): void {
    const half = this.#most / 2;
    this.#recent.push(bytes.length > half ? bytes.subarray(bytes.length - half) : bytes);
    this.#recent_size += this.#recent.at(-1)?.length ?? 0;
    for (let first = this.#recent[0]; first && this.#recent_size - first.length >= half; first = this.#recent[0]) {
      this.#recent.shift();
      this.#recent_size -= first.length;
    }
  }

  /** The file is full: it goes on with its second half. */
  async #startOver(): Promise<void> {
    const kept = Buffer.concat(this.#recent).subarray(-this.#most / 2);
    const left_out = this.#total - kept.length;
    const next = await open(`${this.#path}.new`, "w", 0o600);
    const head = Buffer.from(`[${left_out} bytes left out]\n`);
    await next.write(Buffer.concat([head, kept]));
    await rename(`${this.#path}.new`, this.#path);
    await this.#file?.close();
    this.#file = next;
    this.#size = head.length + kept.length;
  }
}
