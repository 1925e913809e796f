import type { TxCtx } from "../context.ts";
import { plan } from "../due/plan.ts";
import { ParleyError } from "../errors.ts";
import { because } from "./causes.ts";
import { kindOf } from "./consumers.ts";
import type { FeedEvent } from "./event.ts";

/** As many reactions as one may lead to the next of. */
const MOST_DEEP = 4;

/**
 * Runs in the transaction that made the event, once the operation's own body is through: if it fails, all of it does. It
 * changes nothing in memory, since it may run twice. Only for two facts that must never differ.
 */
export type Reaction = (ctx: TxCtx, event: FeedEvent) => Promise<void>;

/** What follows from events, by their type. */
export interface Registry {
  with: ReadonlyMap<string, readonly Reaction[]>;
  /** The names of those that handle it later, in transactions of their own. */
  after: ReadonlyMap<string, readonly string[]>;
}

/** What the events of one transaction lead to. */
export class Reactions {
  readonly #registry: Registry;
  /** Those that something reacts to, and how many reactions led there. */
  #queue: { event: FeedEvent; depth: number }[] | undefined;
  #depth = 0;
  /** The first event that each is to handle later. */
  #after: Map<string, number> | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** For a transaction of its own. */
  begin(): Reactions {
    return new Reactions(this.#registry);
  }

  /** Only noted: in the middle of an operation a reaction would see what is half written. */
  appended(event: FeedEvent): void {
    const { id, type } = event;
    if (this.#registry.with.has(type)) {
      this.#queue ??= [];
      this.#queue.push({ event, depth: this.#depth });
    }
    for (const name of this.#registry.after.get(type) ?? []) {
      this.#after ??= new Map();
      this.#after.set(name, Math.min(id, this.#after.get(name) ?? id));
    }
  }

  /** Called when the operation's own body is through, and before its result is stored. Most lead to nothing. */
  run(ctx: TxCtx): Promise<void> | undefined {
    return this.#queue || this.#after ? this.#runAll(ctx) : undefined;
  }

  async #runAll(ctx: TxCtx): Promise<void> {
    for (let next = this.#queue?.shift(); next; next = this.#queue?.shift()) await this.#react(ctx, next);
    this.#depth = 0;
    // Planned already, they read on from their mark anyway.
    for (const [name, id] of this.#after ?? [])
      await plan(ctx, { kind: kindOf(name), ref: 0, at: ctx.now(), payload: { after: id - 1 } });
    this.#after = undefined;
  }

  async #react(ctx: TxCtx, { event, depth }: { event: FeedEvent; depth: number }): Promise<void> {
    if (depth === MOST_DEEP)
      throw new ParleyError(
        "REACTION_LOOP",
        `What this led to came to ${event.type} after ${MOST_DEEP} steps and would not end; nothing was written.`,
      );
    this.#depth = depth + 1;
    for (const react of this.#registry.with.get(event.type) ?? []) await react(because(ctx, event.id), event);
  }
}
