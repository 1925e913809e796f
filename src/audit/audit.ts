import type { Database } from "../db/database.ts";
import { chained, digestOf, type Link, placeOf, START } from "./chain.ts";
import { type CallEntry, type EventEntry, type Fields, fieldsOf } from "./entry.ts";
import { AuditFiles, type Kept } from "./files.ts";
import { Merge } from "./merge.ts";
import { findHead, saveHead } from "./store.ts";
import { type Verdict, verifyChain } from "./verify.ts";

/** Lines are written together: one write a call would cost as much as the call. */
const FLUSH_MS = 100;
/** How long after a line its number and digest are in the database at the latest. */
const CHECKPOINT_MS = 1500;
/** With these it is not known whether anything was done, so each has a line of its own. */
const UNSURE = ["ok", "OUTCOME_UNKNOWN", "INTERNAL"];

export interface AuditOptions {
  home: string;
  /** Which of the database's chains it is. */
  chain: string;
  database: Database;
  kept: Kept;
  /** The last process here did not end by itself, and the last lines may be lost. */
  after_crash: boolean;
  report: (error: unknown) => void;
}

/**
 * Who did what, one JSON line a call, in files of their own beside the database. Each line has a number and the digest of
 * the line before; how far they reach is noted in the database. See docs/design/audit.md for what that promises.
 */
export class Audit implements AsyncDisposable {
  readonly #options: AuditOptions;
  readonly #files: AuditFiles;
  readonly #merge = new Merge((fields) => this.#write(fields));
  #last: Link = START;
  #saved = 0;
  #first_seq = 1;
  #waiting: Fields[] = [];
  #lost = 0;
  #flushing: NodeJS.Timeout | undefined;
  #checkpointing: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  static async open(options: AuditOptions): Promise<Audit> {
    const audit = new Audit(options);
    await audit.#resume();
    return audit;
  }

  private constructor(options: AuditOptions) {
    this.#options = options;
    this.#files = new AuditFiles(options.home, options.kept);
  }

  call(entry: CallEntry): void {
    const { actor, op, door, result } = entry;
    if (UNSURE.includes(result)) this.#write(fieldsOf(entry));
    else this.#merge.add([actor.principal_id, actor.space_id, op, door, result], () => fieldsOf(entry));
  }

  event(entry: EventEntry): void {
    const fields = (): Fields => ({ ts: new Date().toISOString(), ...entry });
    if (entry.result === "ok") this.#write(fields());
    else this.#merge.add([entry.principal, entry.address, entry.op, entry.result], fields);
  }

  async verify(): Promise<Verdict> {
    await this.#settle();
    // Nothing is written meanwhile, so that whatever stands behind the last line is none of ours.
    const verdict = this.#working.then(async () => {
      const head = await findHead(this.#options.database, this.#options.chain);
      return await verifyChain(this.#files, { head, latest: this.#last });
    });
    // That it failed is told to who asked.
    this.#working = verdict.then(
      () => {},
      () => {},
    );
    return await verdict;
  }

  /** The last lines, oldest first. */
  async tail(count: number): Promise<object[]> {
    await this.#settle();
    const lines: string[] = [];
    for await (const { text } of this.#files.lines((await this.#files.all()).slice(-2))) {
      lines.push(text);
      if (lines.length > 2 * count) lines.splice(0, lines.length - count);
    }
    return lines.slice(-count).map((line) => JSON.parse(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#merge.flush();
    await this.#settle();
  }

  /**
   * Goes on behind the last line there is. What is missing or changed by then stays so: the next line is linked to what was
   * noted in the database, not to what stands in the files.
   */
  async #resume(): Promise<void> {
    const { line, torn_bytes } = await this.#files.recover();
    const place = line === undefined ? undefined : placeOf(line);
    if (line !== undefined && place) this.#last = { seq: place.seq, digest: digestOf(line) };
    const head = await findHead(this.#options.database, this.#options.chain);
    const missing = Math.max(0, (head?.seq ?? 0) - this.#last.seq);
    const changed = head && missing === 0 ? !(await this.#holds(head)) : undefined;
    if (head && (missing > 0 || changed)) this.#last = { seq: Math.max(head.seq, this.#last.seq), digest: head.digest };
    this.#saved = head?.seq ?? 0;
    this.#first_seq = head?.first_seq ?? 1;
    const broken = {
      missing: missing || undefined,
      changed: changed || undefined,
      torn_bytes: torn_bytes || undefined,
    };
    if (missing > 0 || changed || torn_bytes > 0 || (this.#options.after_crash && this.#last.seq > 0))
      this.#write({ ts: new Date().toISOString(), op: "audit.resumed", result: "ok", ...broken });
  }

  /** Whether the line is there that was noted as the last one. */
  async #holds({ seq, digest }: Link): Promise<boolean> {
    if (this.#last.seq === seq) return this.#last.digest === digest;
    for await (const { text } of this.#files.lines((await this.#files.all()).slice(-2)))
      if (digestOf(text) === digest) return true;
    return false;
  }

  #write(fields: Fields): void {
    this.#waiting.push(fields);
    this.#flushing ??= setTimeout(() => void this.#flush(), FLUSH_MS);
  }

  #flush(): Promise<void> {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    this.#working = this.#working.then(() => this.#append()).catch(this.#options.report);
    return this.#working;
  }

  async #append(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    const now = new Date();
    if (this.#lost > 0) waiting.unshift({ ts: now.toISOString(), op: "audit.lost", result: "ok", count: this.#lost });
    let last = this.#last;
    let text = "";
    for (const fields of waiting) {
      const { line, link } = chained(last, fields);
      text += `${line}\n`;
      last = link;
    }
    try {
      await this.#files.rotate(now);
      await this.#files.append(text);
    } catch (error) {
      this.#lost += waiting.length - (this.#lost > 0 ? 1 : 0);
      throw error;
    }
    this.#last = last;
    this.#lost = 0;
    this.#checkpointing ??= setTimeout(() => void this.#checkpoint(), CHECKPOINT_MS);
  }

  /** Only of what the disk has: after a power cut the database must not know more lines than there are. */
  #checkpoint(): Promise<void> {
    clearTimeout(this.#checkpointing);
    this.#checkpointing = undefined;
    this.#working = this.#working.then(() => this.#save()).catch(this.#options.report);
    return this.#working;
  }

  async #save(): Promise<void> {
    const { database, chain } = this.#options;
    const { seq, digest } = this.#last;
    if (seq === this.#saved) return;
    await this.#files.sync();
    const { old, first_seq } = await this.#files.expired(new Date());
    if (old.length > 0) this.#first_seq = first_seq;
    await saveHead(database, chain, { seq, digest, first_seq: this.#first_seq });
    // Not before: files that are gone though they should be there are what `verify` looks for.
    await this.#files.remove(old);
    this.#saved = seq;
  }

  async #settle(): Promise<void> {
    await this.#flush();
    await this.#checkpoint();
  }
}
