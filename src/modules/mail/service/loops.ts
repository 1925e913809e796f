import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { agentsHere, type HolderRow, holder, noSuchAgent } from "../../identity/index.ts";
import { close, raise } from "../../notices/index.ts";
import type { Release } from "../schema.ts";
import * as store from "../store.ts";
import type { TrailRow } from "../tables.ts";
import {
  counting,
  countOf,
  extended,
  goingRound,
  SLOWED_AT,
  STOPPED_AT,
  type Step,
  type Trail,
  trailOf,
  turnsOf,
} from "./trails.ts";

const KIND = "mail.loop";
const TOPIC = "agent";
const LONGEST_WAIT_MS = 60_000;
const RECENT_MS = 60_000;

interface Guarded {
  sender: HolderRow;
  recipients: readonly HolderRow[];
}

/**
 * Refuses what agents send round among themselves without end, whether two of them or a ring, by mail or over a topic, with
 * people looking on or without. A person's mail starts the count again. To people alone everybody may always write: a
 * report must not be lost to a quarrel.
 */
export async function guardLoops(ctx: TxCtx, { sender, recipients }: Guarded): Promise<void> {
  const agents = recipients.filter(({ kind }) => kind === "agent");
  if (agents.length === 0) return;
  if (sender.kind === "human") {
    if (await store.hasTurns(ctx.tx)) await beginAnew(ctx, agents);
  } else if (sender.kind === "agent") await follow(ctx, sender, agents);
}

interface Followed {
  other: HolderRow;
  had: Trail;
  trail: Trail;
  step: Step;
}

async function follow(ctx: TxCtx, sender: HolderRow, agents: readonly HolderRow[]): Promise<void> {
  const now = ctx.now();
  const ids = [sender, ...agents].map(({ principal_id }) => principal_id);
  const rows = new Map((await store.listTrails(ctx.tx, ids)).map((row) => [row.principal_id, row]));
  const own = trailOf(rows.get(sender.principal_id), now);
  const followed = agents.map((other): Followed => {
    const had = trailOf(rows.get(other.principal_id), now);
    const trail = counting(own, had);
    const count = countOf(trail, sender.principal_id, other.principal_id) + 1;
    refuseEndless(trail, { now, sender, other, count });
    return { other, had, trail, step: [sender.principal_id, other.principal_id, count] };
  });
  const last_at = new Date(now).toISOString();
  const changed = followed.filter((one) => !isNoted(one, now));
  await store.saveTrails(
    ctx.tx,
    changed.map(({ other, had, trail, step }) => ({ ...rowOf(other, extended(trail, step, had)), last_at })),
  );
  for (const one of changed) if (one.step[2] === STOPPED_AT) await stop(ctx, sender, one);
  await letGo(ctx, changed.filter(isFreed));
}

const isStopped = (trail: Trail): boolean => turnsOf(trail) >= STOPPED_AT;

/** Somebody with whom a person has had a word since has written to one that was stopped. */
const isFreed = ({ had, trail, step }: Followed): boolean => isStopped(had) && !isStopped(extended(trail, step, had));

async function letGo(ctx: TxCtx, freed: readonly Followed[]): Promise<void> {
  for (const { other, had } of freed) {
    const rest = goingRound(had).filter((id) => id !== other.principal_id);
    await startAfresh(ctx, rest);
    await endLoops(ctx, [other.principal_id, ...rest]);
  }
}

/** Who reports again and again need not be noted each time: the count only cares for minutes. */
const isNoted = ({ had, trail, step }: Followed, now: number): boolean =>
  trail.steps.length === 0 &&
  had.person_at === trail.person_at &&
  countOf(had, step[0], step[1]) === step[2] &&
  now - Date.parse(had.last_at) < RECENT_MS;

const rowOf = ({ principal_id }: HolderRow, trail: Trail): TrailRow => ({
  principal_id,
  steps: JSON.stringify(trail.steps),
  turns: turnsOf(trail),
  person_at: trail.person_at,
  last_at: trail.last_at,
});

interface Going {
  now: number;
  sender: HolderRow;
  other: HolderRow;
  count: number;
}

function refuseEndless(trail: Trail, { now, sender, other, count }: Going): void {
  const round = goingRound(trail);
  if (turnsOf(trail) >= STOPPED_AT && round.includes(sender.principal_id) && round.includes(other.principal_id))
    throw new ParleyError(
      "LOOP_STOPPED",
      `You and ${other.name} are among agents whose mail went round ${STOPPED_AT} times with no person in between, so this was stopped. A person can let you go on; to people alone you may write.`,
    );
  if (count <= SLOWED_AT) return;
  const wait_ms = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (count - SLOWED_AT)) - (now - Date.parse(trail.last_at));
  if (wait_ms <= 0) return;
  const retry_after = Math.ceil(wait_ms / 1000);
  throw new ParleyError(
    "LOOP_SLOWED",
    `Your mail to ${other.name} has come back to you ${count - 1} times with no person in between. If more is needed, try again in ${retry_after} s.`,
    { details: { retry_after } },
  );
}

/** From here on each of them is refused, so what the people are told is so. */
async function stop(ctx: TxCtx, sender: HolderRow, { had, trail, step }: Followed): Promise<void> {
  const reached = extended(trail, step, had);
  const last_at = new Date(ctx.now()).toISOString();
  const members = goingRound(reached);
  const rows = await store.listTrails(ctx.tx, members);
  const known = new Map(rows.map((row) => [row.principal_id, trailOf(row, ctx.now())]));
  const stopped = members.map((principal_id) => {
    const own = known.get(principal_id) ?? reached;
    const all = extended({ ...reached, person_at: own.person_at }, step, own);
    return { ...rowOf({ ...sender, principal_id }, all), last_at };
  });
  await store.saveTrails(ctx.tx, stopped);
  const names = (await store.listNames(ctx.tx, members)).sort();
  const [ref, ...also] = await inboxesOf(ctx, members);
  await raise(ctx, {
    // Once for each time they are stopped: the position tells those apart.
    key: `${KIND} ${ctx.tx.takeId()}`,
    kind: KIND,
    ...(ref !== undefined && { topic: TOPIC, ref, also }),
    title: `${listed(names)} were stopped`,
    text: `Mail went round among them ${STOPPED_AT} times with no person in between, and they cannot go on writing to each other. Write to one of them, or release them, to let them go on.`,
    agents: names,
  });
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** A person has had a word with them: whatever went round before is over, for them and for whomever they write to next. */
async function beginAnew(ctx: TxCtx, agents: readonly HolderRow[]): Promise<void> {
  const ids = agents.map(({ principal_id }) => principal_id);
  const trails = (await store.listTrails(ctx.tx, ids)).map((row) => trailOf(row, ctx.now()));
  const stopped = trails.filter(isStopped).flatMap(goingRound);
  await startAfresh(ctx, [...new Set([...ids, ...stopped])]);
  if (stopped.length > 0) await endLoops(ctx, [...new Set(stopped)]);
}

async function startAfresh(ctx: TxCtx, ids: readonly string[]): Promise<void> {
  const now = new Date(ctx.now()).toISOString();
  const anew = { steps: "[]", turns: 0, person_at: now, last_at: now };
  await store.saveTrails(
    ctx.tx,
    ids.map((principal_id) => ({ principal_id, ...anew })),
  );
}

/** They are no longer stopped, so people are no longer told that they are. */
async function endLoops(ctx: TxCtx, members: readonly string[]): Promise<void> {
  for (const ref of await inboxesOf(ctx, members)) await close(ctx, { kind: KIND, topic: TOPIC, ref });
}

/** By what a notice tells which agents it is about. */
const inboxesOf = async (ctx: TxCtx, members: readonly string[]): Promise<number[]> =>
  (await agentsHere(ctx)).filter(({ principal_id }) => members.includes(principal_id)).map(({ inbox_id }) => inbox_id);

export function release(ctx: Ctx, { agents }: Release): Promise<{ agents: string[] }> {
  return transact(ctx, async (ctx) => {
    if (new Set(agents).size < 2)
      throw new ParleyError("INVALID_ARGUMENT", "agents: name two different agents, or more.");
    const found: HolderRow[] = [];
    for (const name of agents) found.push(await agentNamed(ctx, name));
    await beginAnew(ctx, found);
    return { agents };
  });
}

async function agentNamed(ctx: TxCtx, name: string): Promise<HolderRow> {
  const found = await holder(ctx, name);
  if (found?.kind !== "agent") throw noSuchAgent(name);
  return found;
}
