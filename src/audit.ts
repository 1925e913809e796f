import { createWriteStream, renameSync, statSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import type { Actor } from "./context.ts";
import { redact } from "./log.ts";

const MOST_BYTES = 64 * 1024 * 1024;
const PREVIEW = 200;

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
  #stream: WriteStream;
  #bytes: number;

  constructor(home: string) {
    this.#file = join(home, "audit.jsonl");
    this.#bytes = sizeOf(this.#file);
    this.#stream = this.#open();
  }

  write({ actor, op, door, args, result }: AuditEntry): void {
    const line = redact(
      `${JSON.stringify({
        ts: new Date().toISOString(),
        session: actor.space_id,
        principal: actor.principal_id,
        agent: actor.caller_agent ?? actor.name,
        op,
        door,
        preview: previewOf(args),
        result,
      })}\n`,
    );
    this.#bytes += line.length;
    if (this.#bytes > MOST_BYTES) this.#rotate();
    this.#stream.write(line);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#stream.end(resolve));
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#file, { flags: "a", mode: 0o600 });
    // A disk that cannot take the audit cannot take the writes it is about either, and those are refused.
    stream.on("error", () => {});
    return stream;
  }

  #rotate(): void {
    this.#stream.end();
    renameSync(this.#file, `${this.#file}.1`);
    this.#bytes = 0;
    this.#stream = this.#open();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The beginning of the arguments, cut between characters. */
export function previewOf(args: unknown): string {
  const short = JSON.stringify(args, (_key, value: unknown) => (typeof value === "string" ? cut(value) : value)) ?? "";
  return cut(short);
}

function cut(text: string): string {
  if (text.length <= PREVIEW) return text;
  const end = text.slice(0, PREVIEW);
  return `${end.isWellFormed() ? end : end.slice(0, -1)}…`;
}
