/** What a client tells a hook on stdin. Nothing in it is believed to be of the type that is documented. */
import { Failure, invalid } from "../core/failure.ts";

const MOST_BYTES = 10 * 1024 * 1024;
/** Of silence. Clients close stdin at once; one that forgets to must not hold up its own session. */
const PATIENCE_MS = 1_000;
/** One that writes without end must not either. */
const MOST_MS = 10_000;

export class HookInput {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  text(name: string): string | undefined {
    const value = this.#fields[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  flag(name: string): boolean | undefined {
    const value = this.#fields[name];
    return typeof value === "boolean" ? value : undefined;
  }

  /** Whatever it is. */
  value(name: string): unknown {
    return this.#fields[name];
  }

  /** The objects in a list. */
  list(name: string): HookInput[] {
    const value = this.#fields[name];
    const items: unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((item) => (typeof item === "object" && item !== null ? [new HookInput({ ...item })] : []));
  }

  get session_id(): string | undefined {
    return this.text("session_id");
  }
}

export async function readInput(): Promise<HookInput> {
  return parseInput(process.stdin.isTTY ? "" : await text());
}

function parseInput(text: string): HookInput {
  if (text.trim() === "") throw invalid("stdin is empty, where a client puts JSON.");
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch (cause) {
    throw invalid("what is on stdin is not JSON.", { cause });
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields))
    throw invalid("what is on stdin is JSON, but not an object.");
  return new HookInput({ ...fields });
}

async function text(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const silence = Promise.withResolvers<void>();
  const timer = setTimeout(silence.resolve, PATIENCE_MS);
  const deadline = performance.now() + MOST_MS;
  const read = async (): Promise<void> => {
    // To its end even if it is too much: whoever writes would otherwise see its pipe break.
    for await (const chunk of process.stdin) {
      if (performance.now() < deadline) timer.refresh();
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
    }
  };
  await Promise.race([read(), silence.promise]);
  clearTimeout(timer);
  if (bytes > MOST_BYTES)
    throw new Failure("CONTENT_TOO_LARGE", `what is on stdin is larger than ${MOST_BYTES / 1024 / 1024} MiB.`);
  return Buffer.concat(chunks).toString("utf8");
}
