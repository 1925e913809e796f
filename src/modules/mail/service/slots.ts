import type { Ctx } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import type { Waiter } from "../../../waiting.ts";
import type { HolderRow } from "../../identity/index.ts";
import type { Poll } from "../schema.ts";

/** Of waiters with one name for one mailbox, on this node, only the last one that came goes on. */
class Slots {
  readonly #waiting = new Map<string, Waiter>();
  /** By slot the ids that had it, the last one first: of these only that one may come back. */
  readonly #ids = new Map<string, string[]>();

  /** One that has lost the slot to another id before does not get it. */
  take(slot: string, waiter: Waiter, id: string | undefined): void {
    if (id !== undefined && !this.#mayTake(slot, id)) return;
    const before = this.#waiting.get(slot);
    this.#waiting.set(slot, waiter);
    before?.wake();
  }

  has(slot: string, waiter: Waiter): boolean {
    return this.#waiting.get(slot) === waiter;
  }

  leave(slot: string, waiter: Waiter): void {
    if (this.has(slot, waiter)) this.#waiting.delete(slot);
  }

  #mayTake(slot: string, id: string): boolean {
    const ids = this.#ids.get(slot) ?? [];
    if (ids.indexOf(id) > 0) return false;
    this.#ids.delete(slot);
    this.#ids.set(slot, ids[0] === id ? ids : [id, ...ids].slice(0, MOST_IDS));
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > MOST_SLOTS && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}

/** Whoever is still between two waits when as many have come since is not known any more, and takes the slot. */
const MOST_IDS = 8;
/** Names are anybody's to make up: those that were not used for the longest time are forgotten. */
const MOST_SLOTS = 4096;

const allSlots = new WeakMap<Database, Slots>();

interface Slot extends Disposable {
  lost(): boolean;
}

interface Taking extends Pick<Poll, "waiter" | "waiter_id"> {
  waiting: Waiter;
}

/** Held until it is disposed of, or another one takes it. */
export function takeSlot(ctx: Ctx, { principal_id }: HolderRow, { waiter, waiter_id, waiting }: Taking): Slot {
  if (waiter === undefined) return { lost: () => false, [Symbol.dispose]: () => {} };
  const slots = allSlots.get(ctx.database) ?? new Slots();
  allSlots.set(ctx.database, slots);
  const slot = `${ctx.actor.space_id} ${principal_id} ${waiter}`;
  slots.take(slot, waiting, waiter_id);
  return {
    lost: () => !slots.has(slot, waiting),
    [Symbol.dispose]: () => slots.leave(slot, waiting),
  };
}
