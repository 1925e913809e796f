import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Actor } from "./context.ts";
import { redact } from "./log.ts";
import { cut } from "./text.ts";

const MOST_BYTES = 64 * 1024 * 1024;
const PREVIEW = 200;
const PREVIEW_PARTS = 20;
const PREVIEW_DEPTH = 4;
/** Lines are written together: one write a call would cost as much as the call. */
const FLUSH_MS = 100;

export interface AuditEntry {
  actor: Actor;
  op: string;
  door: string;
  args: unknown;
  /** `ok`, or the code of the error. */
  result: string;
}

/** Who did what, one JSON line a call, in a file of its own beside the database. */
export class Audit {
  readonly #file: string;
  readonly #report: (error: unknown) => void;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(home: string, report: (error: unknown) => void) {
    this.#file = join(home, "audit.jsonl");
    this.#report = report;
  }

  write({ actor, op, door, args, result }: AuditEntry): void {
    this.#lines.push(
      JSON.stringify({
        ts: new Date().toISOString(),
        session: actor.space_id,
        principal: actor.principal_id,
        agent: actor.caller_agent ?? actor.name,
        op,
        door,
        preview: previewOf(args),
        result,
      }),
    );
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = redact(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    this.#writing = this.#writing.then(() => this.#append(text)).catch(this.#report);
  }

  async #append(text: string): Promise<void> {
    await appendFile(this.#file, text, { mode: 0o600 });
    if ((await stat(this.#file)).size > MOST_BYTES) await rename(this.#file, `${this.#file}.1`);
  }
}

/** The beginning of the arguments, as JSON. */
export function previewOf(args: unknown): string {
  return cut(JSON.stringify(shortened(args, PREVIEW_DEPTH)) ?? "", PREVIEW);
}

/** No more of it than a preview can show: the arguments may be megabytes. */
function shortened(value: unknown, levels: number): unknown {
  if (typeof value === "string") return cut(value, PREVIEW);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.slice(0, PREVIEW_PARTS).map((item) => shortened(item, levels - 1));
  const parts: [string, unknown][] = [];
  for (const key in value) {
    if (parts.length === PREVIEW_PARTS) break;
    // `in` gave the key.
    parts.push([cut(key, PREVIEW), shortened((value as Record<string, unknown>)[key], levels - 1)]);
  }
  return Object.fromEntries(parts);
}
