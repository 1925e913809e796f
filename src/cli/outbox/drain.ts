/**
 * Delivers what waits in the outbox, in order. Should it be killed anywhere, or two do it at once, each operation still
 * happens once: it is sent with its key until the hub has answered, and each of the two keeps the order. The lock only
 * saves work.
 */

import { CODES, KINDS } from "../../errors.ts";
import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { Failure, isFailure } from "../core/failure.ts";
import { pause } from "../core/patience.ts";
import { takeBriefly } from "../core/process-lock.ts";
import { counted } from "../core/words.ts";
import { KEPT_MS, type Operation, Outbox, type Queued, Unreadable } from "./outbox.ts";
import { clientFor, isSame } from "./sender.ts";

export interface Drained {
  delivered: number;
  refused: number;
  /** How many still wait. */
  left: number;
  /** Which of those the loop guard holds back, and what goes the same way behind them. */
  slowed: string[];
}

/** How long to let another command finish that is at it. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 20;

export async function drain(cli: Cli): Promise<Drained> {
  const outbox = new Outbox(cli.home);
  using _lock = await lockOrGiveUp(outbox);
  const drained: Drained = { delivered: 0, refused: 0, left: 0, slowed: [] };
  /** What could not be sent: what its sender wrote later must not overtake it. */
  const stuck: Queued[] = [];
  for (const key of outbox.keys()) {
    const entry = await readOrSetAside(cli, outbox, key);
    if (!entry) continue;
    const ahead = stuck.filter(({ sender }) => isSame(sender, entry.sender));
    const isSlowed = ({ key }: Queued): boolean => drained.slowed.includes(key);
    if (ahead.some((earlier) => !isSlowed(earlier))) continue;
    const outcome = ahead.some((earlier) => haveSameDestination(earlier, entry))
      ? "slowed"
      : await deliver(cli, outbox, entry);
    if (outcome === "waits" || outcome === "slowed") stuck.push(entry);
    if (outcome === "slowed") drained.slowed.push(key);
    if (outcome === "delivered" || outcome === "refused") drained[outcome] += 1;
    if (outcome === "refused") await tellRefused(cli, outbox, key);
  }
  drained.left = outbox.keys().length;
  const { delivered } = drained;
  if (delivered > 0 && !cli.out.quiet) await cli.out.tell(`Delivered ${counted(delivered, "queued operation")}.`);
  return drained;
}

/**
 * To one of the same recipients, or to the same thread. Of an answer only the mail is known that it answers: where that
 * is too little, the loop guard itself keeps the later one waiting.
 */
export function haveSameDestination(one: Operation, other: Operation): boolean {
  const destinations = destinationsOf(one);
  return destinationsOf(other).some((place) => destinations.includes(place));
}

/** A thread has the number of its first mail. */
const destinationsOf = ({ args: { to, thread_id, id, topic } }: Operation): unknown[] =>
  [...(Array.isArray(to) ? to : []), thread_id, id, topic].filter((place) => place !== undefined);

async function readOrSetAside(cli: Cli, outbox: Outbox, key: string): Promise<Queued | undefined> {
  try {
    return outbox.read(key);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    await cli.out.tell(
      `parley: A queued operation cannot be read (${error.message}). It is now ${outbox.setAside(key)}`,
    );
    return undefined;
  }
}

/** Without it after a while: whoever holds it may hang, and two at once do no harm. */
async function lockOrGiveUp(outbox: Outbox): Promise<Disposable | undefined> {
  const deadline = performance.now() + PATIENCE_MS;
  while (outbox.keys().length > 0 && performance.now() < deadline) {
    const lock = takeBriefly(outbox.lock);
    if (lock) return lock;
    await pause(PAUSE_MS);
  }
  return undefined;
}

type Outcome =
  | "delivered"
  | "refused"
  /** Another command did it. */
  | "gone"
  /** For another time, with everything its sender wrote after it. */
  | "waits"
  /** The same, with what goes the same way. */
  | "slowed";

async function deliver(cli: Cli, outbox: Outbox, entry: Queued): Promise<Outcome> {
  const { key, tool, args, queued_at, sender, cause } = entry;
  const age_ms = Date.now() - Date.parse(queued_at);
  if (age_ms > KEPT_MS) {
    outbox.refuse(entry, { code: "OUTBOX_EXPIRED", reason: `It waited for more than ${KEPT_MS / 86_400_000} days.` });
    return "refused";
  }
  try {
    const client = await clientFor(cli, sender, cause);
    if (!client) return "waits";
    await client.callByName(tool, args, { key });
    return outbox.remove(key) ? "delivered" : "gone";
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.code === "LOOP_SLOWED") return "slowed";
    if (!isFinal(error)) return "waits";
    outbox.refuse(entry, { code: error.code, reason: error.message });
    return "refused";
  }
}

/** Asking again another time would change nothing. What is limited, or a hub that is not there, passes. */
function isFinal({ code }: Failure): boolean {
  // This one passes only when a person wants it to, and then what was said may no longer be what is to be said.
  if (code === "LOOP_STOPPED") return true;
  const kind = Object.hasOwn(CODES, code) ? KINDS[CODES[code as keyof typeof CODES]] : undefined;
  return kind !== undefined && kind !== KINDS.limited && kind !== KINDS.unavailable;
}

async function tellRefused(cli: Cli, outbox: Outbox, key: string): Promise<void> {
  const refused = outbox.refused.read(key);
  if (!refused) return;
  const { commandOf, sentenceOf } = await import("../core/exit-code.ts");
  const { tool, queued_at, code, reason } = refused;
  const time = (iso: string): string => cli.out.clock(iso);
  const why = sentenceOf(new Failure(code, reason), { line: (command) => cli.line(command), time });
  const what = `The ${commandOf(tool) ?? tool} of ${time(queued_at)}`;
  await cli.out.tell(
    `parley: ${visibleLine(what)} was refused (${code}): ${visibleLine(why)} It is kept: ${cli.line("queue list")}`,
  );
}
