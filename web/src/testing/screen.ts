import { vi } from "vitest";
import type { ScrollPlace } from "#lib/chat/place.svelte.ts";
import type { Row } from "#lib/chat/rows.ts";

const VIEW_PX = 600;

/** Layout as a browser would do it, for a list whose rows are as high as `heightOf` says. */
export class Screen {
  rows: readonly Row[] = [];
  readonly grown = new Map<string, number>();
  readonly #place: ScrollPlace;
  readonly #node: HTMLElement;
  readonly #spacers = { above: spacer(), below: spacer() };
  readonly #watched = new Map<string, () => void>();
  readonly #known = new Map<object, number>();
  #scrollTop = 0;

  /** `make` is called when there are observers to observe with. */
  constructor(make: () => ScrollPlace) {
    const observers: { observed: Set<object>; tell: (entries: unknown) => void }[] = [];
    vi.stubGlobal(
      "ResizeObserver",
      class {
        readonly observed = new Set<object>();
        readonly tell: (entries: unknown) => void;
        constructor(tell: (entries: unknown) => void) {
          this.tell = tell;
          observers.push(this);
        }
        observe(node: object): void {
          this.observed.add(node);
        }
        unobserve(node: object): void {
          this.observed.delete(node);
        }
      },
    );
    this.#place = make();
    const { observed, tell } = observers[0] ?? raise();
    this.#observed = observed;
    this.#tell = tell;
    const screen = this;
    // The few things that are asked of an element.
    this.#node = {
      clientHeight: VIEW_PX,
      get scrollHeight() {
        return screen.height;
      },
      get scrollTop() {
        return screen.#scrollTop;
      },
      set scrollTop(top: number) {
        screen.#scrollTop = Math.max(0, Math.min(top, screen.height - VIEW_PX));
      },
    } as HTMLElement;
    this.#place.spacer("above", this.#spacers.above.node);
    this.#place.spacer("below", this.#spacers.below.node);
    this.#place.attach(this.#node);
  }
  readonly #observed: Set<object>;
  readonly #tell: (entries: unknown) => void;

  heightOf(key: string): number {
    return 20 + ((Number(key) * 7919) % 180) + (this.grown.get(key) ?? 0);
  }

  get drawn(): readonly Row[] {
    return this.rows.slice(this.#place.first, this.#place.last);
  }

  get height(): number {
    const rows = this.drawn.reduce((sum, { key }) => sum + this.heightOf(key), 0);
    return this.#spacers.above.px() + rows + this.#spacers.below.px();
  }

  /** How far below the view's upper edge a row begins. Undefined for one that is not drawn. */
  offsetOf(key: string): number | undefined {
    let top = this.#spacers.above.px() - this.#scrollTop;
    for (const row of this.drawn) {
      if (row.key === key) return top;
      top += this.heightOf(row.key);
    }
    return undefined;
  }

  /** The row at the upper edge of the view. */
  get topKey(): string | undefined {
    return this.drawn.find(({ key }) => (this.offsetOf(key) ?? 0) + this.heightOf(key) > 0.5)?.key;
  }

  get fromEnd(): number {
    return this.height - this.#scrollTop - VIEW_PX;
  }

  /** Every point of the view is covered by a row, not by what stands for those that are not drawn. */
  get isCovered(): boolean {
    const above = this.#spacers.above.px() - this.#scrollTop;
    const rows = this.drawn.reduce((sum, { key }) => sum + this.heightOf(key), 0);
    return above <= 0.5 && (above + rows >= VIEW_PX - 0.5 || this.#place.last === this.rows.length);
  }

  async show(rows: readonly Row[]): Promise<void> {
    this.rows = rows;
    this.#place.take(rows);
    await this.settle();
  }

  /** By so many pixels; tells by how many it was in the end. */
  async scroll(px: number): Promise<number> {
    const before = this.#scrollTop;
    this.#node.scrollTop = before + px;
    const moved = this.#scrollTop - before;
    this.#place.scrolled();
    await this.settle();
    return moved;
  }

  /** What happens before the next picture is seen: rows are drawn, measured, and held in place. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn += 1) {
      await Promise.resolve();
      const drawn = new Set(this.drawn.map(({ key }) => key));
      for (const [key, unwatch] of this.#watched)
        if (!drawn.has(key)) {
          unwatch();
          this.#watched.delete(key);
        }
      for (const key of drawn)
        if (!this.#watched.has(key)) this.#watched.set(key, this.#place.watch({ key } as unknown as Element, key));
      const entries = [...this.#observed].flatMap((target) => {
        const px = "key" in target ? this.heightOf(String(target.key)) : VIEW_PX;
        if (this.#known.get(target) === px) return [];
        this.#known.set(target, px);
        return [{ target, borderBoxSize: [{ blockSize: px }] }];
      });
      if (entries.length === 0) return;
      this.#tell(entries);
      this.#place.scrolled();
    }
    throw new Error("the list never comes to rest");
  }
}

function spacer(): { node: HTMLElement; px: () => number } {
  let px = 0;
  const style = {
    setProperty: (_: string, value: string): void => {
      px = Number.parseFloat(value);
    },
  };
  return { node: { style } as unknown as HTMLElement, px: () => px };
}

function raise(): never {
  throw new Error("nothing is observed");
}
