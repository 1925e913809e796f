import { digestOf, type Link, placeOf } from "./chain.ts";
import type { AuditFiles } from "./files.ts";
import type { Head } from "./store.ts";

/** What is told at most: after a hundred it is clear that somebody was there. */
const MOST_PROBLEMS = 100;

export interface Verdict {
  ok: boolean;
  lines: number;
  first_seq: number | null;
  last_seq: number | null;
  problems: { seq: number; file: string; problem: string }[];
}

/** Goes through all lines that are kept, and says which were changed, removed or cut off. */
export async function verifyChain(files: AuditFiles, { head, latest }: Heads): Promise<Verdict> {
  const walk = new Walk(head);
  for await (const { file, text } of files.lines(await files.all())) walk.step(file, text);
  return walk.end(latest);
}

interface Heads {
  /** As it was kept away from the files. */
  head: Head | undefined;
  /** As this process wrote it. */
  latest: Link;
}

class Walk {
  readonly #head: Head | undefined;
  readonly #problems: Verdict["problems"] = [];
  #lines = 0;
  #first: number | null = null;
  #before: (Link & { file: string }) | undefined;

  constructor(head: Head | undefined) {
    this.#head = head;
  }

  step(file: string, text: string): void {
    this.#lines += 1;
    const place = placeOf(text);
    const expected = this.#before ? this.#before.seq + 1 : (this.#head?.first_seq ?? place?.seq ?? 1);
    const seq = place?.seq ?? expected;
    this.#first ??= seq;
    if (!place) this.#tell(expected, file, `Line ${expected} is not what was written.`);
    else if (seq > expected) this.#tell(expected, file, missing(expected, seq - 1));
    else if (seq < expected) this.#tell(seq, file, `Line ${seq} is there again, after line ${expected - 1}.`);
    else if (this.#before && place.prev !== this.#before.digest)
      this.#tell(seq - 1, this.#before.file, `Line ${seq - 1} is not what was written.`);
    this.#before = { seq, digest: digestOf(text), file };
    if (seq === this.#head?.seq) this.#compare(this.#head);
  }

  end(latest: Link): Verdict {
    const last = this.#before?.seq ?? 0;
    const reached = Math.max(latest.seq, this.#head?.seq ?? 0);
    if (last < reached)
      this.#tell(last + 1, this.#before?.file ?? "", `${missing(last + 1, reached)} The end is cut off.`);
    else if (last > reached)
      this.#tell(reached + 1, this.#before?.file ?? "", `Line ${reached + 1} was never written by the hub.`);
    else if (last === latest.seq) this.#compare(latest);
    const problems = this.#problems;
    return { ok: problems.length === 0, lines: this.#lines, first_seq: this.#first, last_seq: last || null, problems };
  }

  /** The last line is linked to by none: what was noted of it has to do. */
  #compare(noted: Link): void {
    const { seq, digest, file } = this.#before ?? { seq: 0, digest: "", file: "" };
    if (digest !== noted.digest) this.#tell(seq, file, `Line ${seq} is not what was written.`);
  }

  #tell(seq: number, file: string, problem: string): void {
    const told = this.#problems.some((other) => other.problem === problem);
    if (!told && this.#problems.length < MOST_PROBLEMS) this.#problems.push({ seq, file, problem });
  }
}

const missing = (from: number, to: number): string =>
  from === to ? `Line ${from} is missing.` : `Lines ${from} to ${to} are missing.`;
