import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed } from "#lib/live/followed.svelte.ts";
import { newKey } from "$client/index.ts";
import { type Board, type Card, COLUMNS, type Column, type Details } from "./types.ts";

const BOARD_URI = "parley://tasks";
const SOME = 20;
const MANY = 100;
/** The hub lists no more in one go. */
const MOST = 200;
/** A lease that was kept is told to nobody: it is looked at again when it would have run out. */
const AFTER_LEASE_MS = 1000;
const SELDOM_MS = 5000;

interface View {
  column: Column | undefined;
  task_id: string | undefined;
}

/** Tasks as they stand, and the one that is open: one read for all of it. */
export class TaskBoard extends Followed {
  counts = $state.raw<Readonly<Partial<Record<Column, number>>>>({});
  requeue = $state.raw<Board["requeue"]>(null);
  /** Undefined while it is not known, null where there is none. */
  task = $state.raw<Details | null>();
  #columns = $state.raw<ReadonlyMap<Column, readonly Card[]>>(new Map());
  readonly total = $derived(COLUMNS.reduce((sum, column) => sum + (this.counts[column] ?? 0), 0));
  /** Of a column that is shown alone. */
  #limit = MANY;
  #view: View = { column: undefined, task_id: undefined };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: [BOARD_URI] });
  }

  override follow(): () => void {
    const stop = super.follow();
    return () => {
      stop();
      clearTimeout(this.#timer);
    };
  }

  show(view: View): void {
    const { column, task_id } = this.#view;
    if (task_id !== view.task_id) this.task = undefined;
    if (column !== view.column) this.#limit = MANY;
    this.#view = view;
    // What is shown already is a part of what is wanted, or the other way round: it stays meanwhile.
    if (this.loaded && (column !== view.column || (task_id !== view.task_id && view.task_id !== undefined)))
      void this.refresh();
  }

  /** Whether more of a column can be shown. */
  hasMore(column: Column): boolean {
    return this.tasksOf(column).length < Math.min(this.counts[column] ?? 0, MOST);
  }

  showMore(): Promise<void> {
    this.#limit = MOST;
    return this.refresh();
  }

  tasksOf(column: Column): readonly Card[] {
    return this.#columns.get(column) ?? [];
  }

  cancel(task_id: string, reason: string): Promise<unknown> {
    const input = { task_id, ...(reason.trim() !== "" && { reason: reason.trim() }) };
    return this.doing(this.hub.client.call("task_cancel", input, { key: newKey() }));
  }

  requeueOne(task_id: string): Promise<unknown> {
    return this.doing(this.hub.client.call("task_requeue", { task_id }, { key: newKey() }));
  }

  /** Dead tasks that fit: how many there are, or all of them from now on. */
  requeueAll(input: Partial<Tools["task_requeue"]["input"]>): Promise<Tools["task_requeue"]["output"]> {
    return this.doing(this.hub.client.call("task_requeue", input, { key: newKey() }));
  }

  protected override async read(): Promise<void> {
    const view = this.#view;
    const { column, task_id } = view;
    const board = await this.hub.client.call("task_board", {
      limit: column === undefined ? SOME : this.#limit,
      ...(column !== undefined && { column }),
      ...(task_id !== undefined && { task_id }),
    });
    if (view !== this.#view) return this.read();
    this.counts = board.counts;
    this.requeue = board.requeue;
    this.#columns = new Map(board.columns.map((one) => [one.column, this.#known(one.column, one.tasks)]));
    this.task = task_id === undefined ? undefined : board.task;
    this.#lookAgain(board);
  }

  /** What is as it was stays the same thing: its card is not drawn again. */
  #known(column: Column, cards: readonly Card[]): Card[] {
    const before = new Map(this.tasksOf(column).map((card) => [card.id, card]));
    return cards.map((card) => {
      const known = before.get(card.id);
      return known && JSON.stringify(known) === JSON.stringify(card) ? known : card;
    });
  }

  #lookAgain({ columns }: Board): void {
    clearTimeout(this.#timer);
    const leases = columns.flatMap(({ tasks }) => tasks.flatMap(({ lease_expires_at }) => lease_expires_at ?? []));
    const first = leases.sort()[0];
    if (first === undefined) return;
    const left = Date.parse(first) + AFTER_LEASE_MS - this.hub.client.now();
    this.#timer = setTimeout(() => void this.refresh(), Math.max(left, SELDOM_MS));
  }
}
