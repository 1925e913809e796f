import { SvelteSet } from "svelte/reactivity";

/** Somebody at a list: which row they are at, and which they have selected. */
export class ListState<T extends { id: string }> {
  readonly selected = new SvelteSet<string>();
  /** All that is listed, from the top. */
  readonly order = $derived.by(() => this.#rows());
  readonly chosen = $derived.by(() => this.order.filter(({ id }) => this.selected.has(id)));
  #at: string | undefined;
  readonly #rows: () => readonly T[];

  constructor(rows: () => readonly T[]) {
    this.#rows = rows;
  }

  /** The id of the row one is at. */
  get at(): string | undefined {
    return this.#at;
  }

  goTo(id: string | undefined): void {
    this.#at = id;
  }

  toggle(id: string | undefined = this.#at): void {
    if (id === undefined) return;
    if (!this.selected.delete(id)) this.selected.add(id);
  }

  selectAll(): void {
    for (const { id } of this.order) this.selected.add(id);
  }

  /** The row one comes to; at an end it is the same again. */
  step(by: 1 | -1): T | undefined {
    const at = this.order.findIndex(({ id }) => id === this.#at);
    const last = this.order.length - 1;
    const next = this.order[at < 0 ? (by > 0 ? 0 : last) : Math.max(0, Math.min(last, at + by))];
    if (next) this.#at = next.id;
    return next;
  }

  /** The row that takes the place of those that leave: the next one down, else the last that stays. */
  after(leaving: ReadonlySet<string>): T | undefined {
    const from = this.order.findIndex(({ id }) => leaving.has(id));
    const stays = ({ id }: T): boolean => !leaving.has(id);
    return this.order.slice(Math.max(from, 0)).find(stays) ?? this.order.findLast(stays);
  }
}
