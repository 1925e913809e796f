/** Sends now, or keeps it for later when there is no hub. */
import { type As, resolveActing } from "./acting.ts";
import type { Cli } from "./cli.ts";
import type { Options } from "./command.ts";
import { Failure, invalid } from "./failure.ts";
import { type Operation, Outbox } from "./outbox.ts";
import { isSame, senderOf } from "./outbox-sender.ts";

export const QUEUE_OPTIONS = {
  no_queue: { type: "flag", description: "fail when the hub cannot be reached, instead of keeping it for later" },
  queue_only: { type: "flag", description: "only keep it; the next command that reaches the hub sends it" },
} as const satisfies Options;

interface How extends As {
  no_queue: boolean;
  queue_only: boolean;
}

export interface Kept {
  queued: true;
  idempotency_key: string;
}

export async function sendOrQueue<T extends object>(cli: Cli, operation: Operation, how: How): Promise<T | Kept> {
  const { no_queue, queue_only, ...as } = how;
  if (no_queue && queue_only) throw invalid("--no-queue and --queue-only exclude each other.");
  const outbox = new Outbox(cli.home);
  const key = outbox.nextKey();
  if (queue_only) return keep(cli, outbox, { operation, key, as });
  try {
    const { client } = await resolveActing(cli, { start: !cli.noStart, ...as });
    await cli.deliver();
    if (overtakes(cli, outbox, as)) {
      if (no_queue) throw new Failure("HUB_UNREACHABLE", "Earlier mail of yours still waits: parley queue list");
      return keep(cli, outbox, { operation, key: outbox.nextKey(), as });
    }
    return await client.call<T>(operation.tool, operation.args, { key });
  } catch (error) {
    if (no_queue || !isAbsence(error)) throw error;
    cli.out.note(error.message);
    // With the same key: should the hub have done it before it went away, it is not done again.
    return keep(cli, outbox, { operation, key, as });
  }
}

function keep(cli: Cli, outbox: Outbox, { operation, key, as }: { operation: Operation; key: string; as: As }): Kept {
  check(operation);
  outbox.add({ key, ...operation, queued_at: new Date().toISOString(), sender: senderOf(cli, as) });
  return { queued: true, idempotency_key: key };
}

/** What its sender wrote before could not be sent yet, and has to come first. */
function overtakes(cli: Cli, outbox: Outbox, as: As): boolean {
  const keys = outbox.keys();
  if (keys.length === 0) return false;
  const sender = senderOf(cli, as);
  return keys.some((key) => {
    const waiting = outbox.read(key);
    return waiting !== undefined && isSame(waiting.sender, sender);
  });
}

const ABSENT = ["HUB_UNREACHABLE", "OUTCOME_UNKNOWN", "SHUTTING_DOWN"];
const isAbsence = (error: unknown): error is Failure => error instanceof Failure && ABSENT.includes(error.code);

const MOST_BODY_BYTES = 1024 * 1024;

/** What the hub would refuse for certain is refused now, while somebody is there to correct it. */
function check({ tool, args }: Operation): void {
  const { to, subject, body } = args;
  if (Array.isArray(to) && to.length === 0) throw invalid(`${tool}: to: name at least one recipient.`);
  if (Array.isArray(to) && to.length > 100) throw invalid(`${tool}: to: at most 100 recipients.`);
  if (typeof subject === "string" && (subject.trim() === "" || subject.length > 200))
    throw invalid(`${tool}: subject: a subject has 1 to 200 characters.`);
  if (typeof body !== "string" || body.trim() === "") throw invalid(`${tool}: body: there is nothing in it.`);
  if (Buffer.byteLength(body) > MOST_BODY_BYTES) throw new Failure("CONTENT_TOO_LARGE", "A body has at most 1 MiB.");
}
