/** Sends now, or keeps it for later when there is no hub. */
import { type As, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { flag, type Options, type Typed } from "../core/command.ts";
import { Failure, invalid, isFailure } from "../core/failure.ts";
import { type Operation, Outbox, type Queued } from "./outbox.ts";
import { isSame, senderOf } from "./sender.ts";

export const QUEUE_OPTIONS = {
  no_queue: flag("fail when the hub cannot be reached, instead of keeping it for later"),
  queue_only: flag("only keep it; the next command that reaches the hub sends it"),
} as const satisfies Options;

type How = As & Typed<typeof QUEUE_OPTIONS>;

export interface Kept {
  queued: true;
  idempotency_key: string;
}

export async function sendOrQueue<T extends object>(cli: Cli, wanted: Operation, how: How): Promise<T | Kept> {
  const { no_queue, queue_only, ...as } = how;
  const operation = dated(wanted);
  if (no_queue && queue_only) throw invalid("--no-queue and --queue-only exclude each other.");
  const outbox = new Outbox(cli.home);
  const key = outbox.nextKey();
  if (queue_only) return keep(cli, outbox, { operation, key, as });
  try {
    const { client } = await resolveActing(cli, { start: !cli.noStart, ...as });
    await cli.deliver();
    if (await overtakes(cli, outbox, { operation, as })) {
      if (no_queue)
        throw new Failure("HUB_UNREACHABLE", `Earlier mail of yours still waits: ${cli.line("queue list")}`);
      return keep(cli, outbox, { operation, key: outbox.nextKey(), as });
    }
    return await client.callByName<T>(operation.tool, operation.args, { key });
  } catch (error) {
    if (no_queue || !isFailure(error, ...ABSENT)) throw error;
    cli.out.note(error.message);
    // With the same key: should the hub have done it before it went away, it is not done again.
    return keep(cli, outbox, { operation, key, as });
  }
}

/** A deadline may pass while it waits. Said from the first attempt on: a key is good for the same words only. */
function dated({ tool, args }: Operation): Operation {
  return args.deadline === undefined
    ? { tool, args }
    : { tool, args: { ...args, queued_at: new Date().toISOString() } };
}

interface Later {
  operation: Operation;
  key: string;
  as: As;
}

async function keep(cli: Cli, outbox: Outbox, { operation, key, as }: Later): Promise<Kept> {
  check(operation);
  const sender = await senderOf(cli, as);
  outbox.add({
    key,
    ...operation,
    queued_at: new Date().toISOString(),
    sender,
    ...(cli.cause && { cause: cli.cause }),
  });
  return { queued: true, idempotency_key: key };
}

/** What its sender wrote before could not be sent yet, and has to come first. */
async function overtakes(
  cli: Cli,
  outbox: Outbox,
  { operation, as }: { operation: Operation; as: As },
): Promise<boolean> {
  if (outbox.keys().length === 0) return false;
  const sender = await senderOf(cli, as);
  const earlier = (): Queued[] => outbox.all().filter((waiting) => isSame(waiting.sender, sender));
  if (earlier().length === 0) return false;
  const { drain, haveSameDestination } = await import("./drain.ts");
  const { slowed } = await drain(cli);
  return earlier().some((waiting) => !slowed.includes(waiting.key) || haveSameDestination(waiting, operation));
}

const ABSENT = ["HUB_UNREACHABLE", "OUTCOME_UNKNOWN", "SHUTTING_DOWN"];

const MOST_BODY_BYTES = 1024 * 1024;

/** What the hub would refuse for certain is refused now, while somebody is there to correct it. */
function check({ args }: Operation): void {
  const { to, subject, body } = args;
  if (Array.isArray(to) && to.length === 0) throw invalid(`to: name at least one recipient.`);
  if (Array.isArray(to) && to.length > 100) throw invalid(`to: at most 100 recipients.`);
  if (typeof subject === "string" && (subject.trim() === "" || subject.length > 200))
    throw invalid(`subject: a subject has 1 to 200 characters.`);
  if (typeof body !== "string" || body.trim() === "") throw invalid(`body: there is nothing in it.`);
  if (Buffer.byteLength(body) > MOST_BODY_BYTES) throw new Failure("CONTENT_TOO_LARGE", "A body has at most 1 MiB.");
}
