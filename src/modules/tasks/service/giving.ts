/**
 * Who is given which task. Workers that ask while others of their space are being served are served together, by one
 * operation: what is next is read once for all of them, and so is what holds tasks back.
 */
import { type Actor, type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { hit } from "../../../failpoints.ts";
import * as store from "../store.ts";
import type { TaskRow } from "../tables.ts";
import { type KeySlots, slotsOf, yieldTo } from "./admitting.ts";
import { charge, isExhausted } from "./budgeting.ts";
import { DEFAULT_LANE } from "./creating.ts";
import { taskClaimed } from "./events.ts";
import { accountHold, listBlocks } from "./holding.ts";
import { endUnmet } from "./needs.ts";
import { startPlanned } from "./planned.ts";
import { planSweep } from "./planning.ts";
import { accountOf, isoAt, needsOf } from "./wire.ts";

/** As many as one operation serves: what others write waits for it. */
const MOST = 64;

interface Asking {
  ctx: Ctx;
  offers: readonly string[];
  resolve: (row: TaskRow | undefined) => void;
  reject: (error: unknown) => void;
}

/** Those who ask just now, by space. */
const ASKING = new WeakMap<Database, Map<string, Asking[]>>();
/** Spaces in which there was a task for each who asked last: there is likely to be one for the next as well. */
const PLENTY = new WeakMap<Database, Set<string>>();

/** The next task that the actor offers enough for, which is its own from then on. Undefined where it has one already. */
export function give(ctx: Ctx, offers: readonly string[]): Promise<TaskRow | undefined> {
  const spaces = ASKING.get(ctx.database) ?? new Map<string, Asking[]>();
  ASKING.set(ctx.database, spaces);
  const { space_id } = ctx.actor;
  return new Promise((resolve, reject) => {
    const asking = spaces.get(space_id);
    const one = { ctx, offers, resolve, reject };
    if (asking) return void asking.push(one);
    spaces.set(space_id, [one]);
    void serveAll(spaces, space_id);
  });
}

async function serveAll(spaces: Map<string, Asking[]>, space_id: string): Promise<void> {
  const asking = spaces.get(space_id) ?? [];
  for (let [first] = asking; first; [first] = asking) {
    const served = new Served(asking);
    try {
      const given = await serve(first.ctx, served);
      for (const [at, { resolve }] of served.all().entries()) resolve(given[at]);
    } catch (error) {
      for (const { reject } of served.all()) reject(error);
    }
  }
  // In one go with the last look: whoever asks from now on begins anew.
  spaces.delete(space_id);
}

/** Those whom one operation serves: all who have asked by the time at which it begins. */
class Served {
  readonly #asking: Asking[];
  #all: readonly Asking[] | undefined;

  constructor(asking: Asking[]) {
    this.#asking = asking;
  }

  /** From here on the same ones, however often the operation is run. */
  all(): readonly Asking[] {
    this.#all ??= this.#asking.splice(0, MOST);
    return this.#all;
  }

  /** As whom it is looked for all of them: whoever is of a run may have more than others. */
  actor(): Actor {
    const one = this.all().find(({ ctx }) => ctx.actor.run_cause !== undefined) ?? this.all()[0];
    if (!one) throw new Error("nobody asks");
    return one.ctx.actor;
  }
}

/** Where it may well be in vain it looks first: to find nothing costs nobody a turn at the space's counter. */
async function serve(ctx: Ctx, served: Served): Promise<(TaskRow | undefined)[]> {
  const { database, actor } = ctx;
  const plenty = PLENTY.get(database) ?? new Set<string>();
  PLENTY.set(database, plenty);
  if (!plenty.has(actor.space_id)) {
    // Everybody who asks in this turn of the event loop is looked for together.
    await new Promise((resolve) => setImmediate(resolve));
    if (!(await isAnyReady({ ...ctx, actor: served.actor() }, coveredBy(served.all())))) return [];
  }
  const given = await giveAll(ctx, served);
  if (given.includes(undefined)) plenty.delete(actor.space_id);
  else plenty.add(actor.space_id);
  return given;
}

function giveAll(ctx: Ctx, served: Served): Promise<(TaskRow | undefined)[]> {
  return transact({ ...ctx, cause: undefined }, async (inside) => {
    const ctx = { ...inside, actor: served.actor() };
    const asking = served.all();
    const given: (TaskRow | undefined)[] = [];
    const chosen = await choose(ctx, asking);
    const slots = chosen && (await slotsOf(ctx, chosen));
    for (const [at, one] of asking.entries()) {
      // As itself, with what led to its call.
      const own = { ...ctx, actor: one.ctx.actor, cause: one.ctx.cause, reactions: one.ctx.reactions?.begin() };
      const row = chosen ? chosen[at] : await chooseOne(own, one.offers);
      given.push(row && (await take(own, row, slots ?? (await slotsOf(own, [row])))));
      // Where there are budgets, they were chosen for one by one.
      if (row && !chosen) await charge(own, { account: row.account, agent: own.actor.name, tasks: 1 });
      await own.reactions?.run(own);
    }
    const until = given.find((row) => row !== undefined)?.lease_until;
    if (until) await planSweep(ctx, until);
    return given;
  });
}

/** Whether anything waits in such lanes that nothing holds back. */
export async function isAnyReady(ctx: Ctx, isCovered: (lane: string) => boolean): Promise<boolean> {
  const { lanes } = await openLanes(ctx);
  return lanes.some(isCovered);
}

/** Whether a worker that offers nothing in particular would be given one. */
export const hasReady = (ctx: Ctx): Promise<boolean> => isAnyReady(ctx, (lane) => covers([], lane));

/** In which of all spaces a task waits that is not held back itself. */
export const listSpacesWithWork = (ctx: Ctx): Promise<string[]> => store.listSpacesWithWork(ctx.db);

/** In which something can be claimed and nothing holds it back as a whole, and the budgets there are. */
async function openLanes(ctx: Ctx): Promise<{ lanes: string[]; budgets: readonly store.BudgetRow[] }> {
  const [known, blocks] = await Promise.all([store.listLanes(ctx.db, ctx.actor.space_id), listBlocks(ctx)]);
  const lanes = known.filter((lane) => accountHold(ctx, blocks, accountOf(lane)) === null);
  return { lanes, budgets: blocks.budgets };
}

const covers = (offers: readonly string[], lane: string): boolean =>
  needsOf(lane).every((need) => offers.includes(need));

const coveredBy =
  (asking: readonly Asking[]) =>
  (lane: string): boolean =>
    asking.some(({ offers }) => covers(offers, lane));

/**
 * Which task each of them gets. Undefined where that cannot be told for all at once: each claim counts for the budgets
 * there are, a worker that asks twice has one after the first, and of a key that has tasks in several lanes the claim of
 * one may have the others wait.
 */
async function choose(ctx: TxCtx, asking: readonly Asking[]): Promise<(TaskRow | undefined)[] | undefined> {
  const workers = asking.map(({ ctx }) => ctx.actor.principal_id);
  if (new Set(workers).size < workers.length) return undefined;
  // All that is asked mostly, in one round trip: there is rarely any other lane.
  const [{ lanes, budgets }, busy, usual] = await Promise.all([
    openLanes(ctx),
    store.listBusy(ctx.tx, workers),
    store.listNextTasks(ctx.tx, { lane: DEFAULT_LANE, limit: asking.length }),
  ]);
  if (budgets.length > 0) return undefined;
  const others = lanes.filter((lane) => lane !== DEFAULT_LANE).filter(coveredBy(asking));
  const next: Next = await readNext(ctx, others, asking.length);
  if (lanes.includes(DEFAULT_LANE)) next.set(DEFAULT_LANE, [...usual]);
  if (hasKeyInLanes(next)) return undefined;
  const ids = asking.map(({ offers }, at) => (busy.includes(workers[at] ?? "") ? undefined : takeFirst(next, offers)));
  const known = new Map(usual.map((row) => [row.id, row]));
  return Promise.all(ids.map((id) => (id === undefined ? undefined : (known.get(id) ?? findTask(ctx, id)))));
}

function hasKeyInLanes(next: Next): boolean {
  const keys = [...next.values()].flatMap((rows) => [...new Set(rows.map((row) => row.concurrency_key))]);
  const named = keys.filter((key) => key !== null);
  return new Set(named).size < named.length;
}

const findTask = (ctx: TxCtx, id: number): Promise<TaskRow | undefined> =>
  store.findTask(ctx.tx, { space_id: ctx.tx.space_id, id });

/** Of the actor alone, as things are now. */
async function chooseOne(ctx: TxCtx, offers: readonly string[]): Promise<TaskRow | undefined> {
  const { space_id, principal_id, name } = ctx.actor;
  const active = await store.findActive(ctx.tx, { space_id, worker_id: principal_id });
  const { lanes, budgets } = await openLanes(ctx);
  if (active || budgets.some((one) => one.scope === "agent" && one.name === name && isExhausted(ctx, one)))
    return undefined;
  const id = takeFirst(
    await readNext(
      ctx,
      lanes.filter((lane) => covers(offers, lane)),
      1,
    ),
    offers,
  );
  return id === undefined ? undefined : findTask(ctx, id);
}

type Next = Map<string, store.NextRow[]>;

const readNext = async (ctx: TxCtx, lanes: readonly string[], limit: number): Promise<Next> =>
  new Map(
    await Promise.all(
      lanes.map(
        async (lane): Promise<[string, store.NextRow[]]> => [
          lane,
          await store.listNext(ctx.tx, { space_id: ctx.tx.space_id, lane, limit }),
        ],
      ),
    ),
  );

/** The first of all lanes that are covered, which nobody else gets then. */
function takeFirst(next: Next, offers: readonly string[]): number | undefined {
  let from: store.NextRow[] | undefined;
  for (const [lane, rows] of next) {
    const [row] = rows;
    if (row && covers(offers, lane) && (!from?.[0] || store.isBefore(row, from[0]))) from = rows;
  }
  return from?.shift()?.id;
}

async function take(ctx: TxCtx, row: TaskRow, slots: KeySlots): Promise<TaskRow> {
  const { principal_id, name, run_cause = null } = ctx.actor;
  const lease_until = isoAt(ctx.now() + ctx.config.task_lease_seconds * 1000);
  const held = { worker_id: principal_id, worker: name, run_id: run_cause, claimed_at: isoAt(ctx.now()), lease_until };
  const claimed: TaskRow = { ...row, ...held, status: "processing", attempt: row.attempt + 1 };
  await store.claimTask(ctx.tx, { id: row.id, attempt: claimed.attempt, ...held });
  const pause = hit("claim.after_update");
  if (pause) await pause;
  await taskClaimed.tell(ctx, claimed, { worker: name, lease_expires_at: lease_until });
  await yieldTo(ctx, claimed, slots);
  await endUnmet(ctx, claimed);
  await startPlanned(ctx, claimed);
  return claimed;
}
