import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { type HolderRow, holder, noSuchAgent } from "../../identity/index.ts";
import { raise } from "../../notices/index.ts";
import type { Release } from "../schema.ts";
import * as store from "../store.ts";
import type { PairRow } from "../tables.ts";

/** From this turn on each has to wait before it answers, twice as long each time. */
const SLOWED_AT = 20;
export const STOPPED_AT = 40;
const LONGEST_WAIT_MS = 60_000;
/** After so long without mail between two agents the next one begins a new conversation. */
const QUIET_MS = 15 * 60_000;
const RECENT_MS = 60_000;

interface Guarded {
  sender: HolderRow;
  recipients: readonly HolderRow[];
  topic: string | null;
}

/**
 * Counts who answers whom among agents, and refuses what goes on without end. A person's mail starts the count again.
 * What people are to read as well, or whoever follows a topic, is never refused: a report must not be lost to a quarrel.
 */
export async function guardLoops(ctx: TxCtx, { sender, recipients, topic }: Guarded): Promise<void> {
  const agents = recipients.filter(({ kind }) => kind === "agent");
  if (sender.kind === "human") {
    if (await store.hasTurns(ctx.tx)) await store.deletePairsOf(ctx.tx, agents);
  } else if (sender.kind === "agent")
    await countTurns(ctx, sender, { others: agents, refuses: topic === null && agents.length === recipients.length });
}

async function countTurns(
  ctx: TxCtx,
  sender: HolderRow,
  { others, refuses }: { others: readonly HolderRow[]; refuses: boolean },
): Promise<void> {
  const now = ctx.now();
  const last_at = new Date(now).toISOString();
  if (others.length === 0) return;
  const { principal_id } = sender;
  const pairs = await store.listPairs(ctx.tx, { principal_id, others: others.map((other) => other.principal_id) });
  const known = new Map(pairs.map((pair) => [pair.first_id === principal_id ? pair.second_id : pair.first_id, pair]));
  const counted = others.map((other) => {
    const before = known.get(other.principal_id);
    const turns = turnsOf(before, sender, now);
    if (refuses && before && turns > before.turns) refuseEndless(before, { now, other });
    return { other, before, turns };
  });
  const changed = counted.filter(({ before, turns }) => !before || turns !== before.turns || !isRecent(before, now));
  await store.savePairs(
    ctx.tx,
    changed.map(({ other, turns }) => ({
      ...pairOf(sender, other),
      turns,
      last_sender_id: principal_id,
      last_at,
    })),
  );
  for (const { other, before, turns } of changed)
    if (turns === STOPPED_AT && before?.turns !== turns) await tellPeople(ctx, sender, other);
}

/** Who reports again and again need not be noted each time: the count only cares for minutes. */
const isRecent = ({ turns, last_at }: PairRow, now: number): boolean =>
  turns === 0 && now - Date.parse(last_at) < RECENT_MS;

/** A mail is a turn when the other one spoke last: who only reports is never counted. */
function turnsOf(known: PairRow | undefined, sender: HolderRow, now: number): number {
  if (!known) return 0;
  const quiet = now - Date.parse(known.last_at) > QUIET_MS;
  if (quiet && known.turns < STOPPED_AT) return 0;
  return known.turns + (known.last_sender_id === sender.principal_id ? 0 : 1);
}

function refuseEndless({ turns, last_at }: PairRow, { now, other }: { now: number; other: HolderRow }): void {
  if (turns >= STOPPED_AT)
    throw new ParleyError(
      "LOOP_STOPPED",
      `You and ${other.name} answered each other ${turns} times with no person in between, so this was stopped. A person can let you go on.`,
    );
  if (turns < SLOWED_AT) return;
  const wait_ms = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (turns - SLOWED_AT)) - (now - Date.parse(last_at));
  if (wait_ms <= 0) return;
  const retry_after = Math.ceil(wait_ms / 1000);
  throw new ParleyError(
    "LOOP_SLOWED",
    `You and ${other.name} have answered each other ${turns} times. If more is needed, try again in ${retry_after} s.`,
    { details: { retry_after } },
  );
}

async function tellPeople(ctx: TxCtx, sender: HolderRow, other: HolderRow): Promise<void> {
  const { first_id, second_id } = pairOf(sender, other);
  const names = [sender.name, other.name].sort();
  await raise(ctx, {
    // Once for each time they are stopped: the position tells those apart.
    key: `mail.loop ${first_id} ${second_id} ${ctx.tx.takeId()}`,
    kind: "mail.loop",
    title: `${names.join(" and ")} were stopped`,
    text: `They answered each other ${STOPPED_AT} times with no person in between. Write to one of them, or release them, to let them go on.`,
    agents: names,
  });
}

export function release(ctx: Ctx, { agents }: Release): Promise<{ agents: string[] }> {
  return transact(ctx, async (ctx) => {
    const [first, second] = await Promise.all(agents.map((name) => agentNamed(ctx, name)));
    if (!first || !second || first.principal_id === second.principal_id)
      throw new ParleyError("INVALID_ARGUMENT", "agents: name two different agents.");
    await store.deletePair(ctx.tx, pairOf(first, second));
    return { agents };
  });
}

async function agentNamed(ctx: TxCtx, name: string): Promise<HolderRow> {
  const found = await holder(ctx, name);
  if (found?.kind !== "agent") throw noSuchAgent(name);
  return found;
}

/** The same for both directions. */
function pairOf(one: HolderRow, other: HolderRow): { first_id: string; second_id: string } {
  const [first_id = "", second_id = ""] = [one.principal_id, other.principal_id].sort();
  return { first_id, second_id };
}
