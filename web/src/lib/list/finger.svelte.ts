/** Until then a finger may still be about to scroll, or just lie there. */
const STILL_PX = 10;
/** So far drawn, letting go does it. */
const ENOUGH_PX = 88;
const HELD_MS = 500;

export type Side = "left" | "right";

interface Meant {
  onswipe: (side: Side) => void;
  onhold: () => void;
}

/** A finger on a row: drawn aside it sorts, held still it selects. All of it can be done by keys and buttons too. */
export class Finger {
  /** How far the row is drawn, to the right if above nothing. */
  by = $state(0);
  readonly side = $derived<Side>(this.by > 0 ? "right" : "left");
  readonly enough = $derived(Math.abs(this.by) >= ENOUGH_PX);
  readonly #meant: Meant;
  #start: { x: number; y: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether it has done something, so that what the browser makes of it is not meant: a click, on whatever is there by then. */
  #spent = false;

  constructor(meant: Meant) {
    this.#meant = meant;
  }

  /** Returns the way to stop. */
  readonly follow = (row: HTMLElement): (() => void) => {
    const { signal, abort } = stopper();
    row.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    row.addEventListener("pointermove", (event) => this.#move(event, row), { signal });
    row.addEventListener("pointerup", () => this.#up(), { signal });
    row.addEventListener("pointercancel", () => this.#end(), { signal });
    for (const type of ["touchend", "contextmenu"])
      row.addEventListener(type, (event) => this.#drop(event), { signal, passive: false });
    return () => {
      abort();
      this.#end();
    };
  };

  #down({ pointerType, isPrimary, clientX, clientY }: PointerEvent): void {
    this.#end();
    this.#spent = false;
    if (pointerType !== "touch" || !isPrimary) return;
    this.#start = { x: clientX, y: clientY };
    this.#timer = setTimeout(() => {
      this.#end();
      this.#spent = true;
      this.#meant.onhold();
    }, HELD_MS);
  }

  #move({ clientX, clientY, pointerId }: PointerEvent, row: HTMLElement): void {
    if (!this.#start) return;
    const [right, down] = [clientX - this.#start.x, clientY - this.#start.y];
    if (this.by !== 0) this.by = right;
    else if (Math.hypot(right, down) < STILL_PX) return;
    else if (Math.abs(down) >= Math.abs(right)) this.#end();
    else {
      clearTimeout(this.#timer);
      row.setPointerCapture(pointerId);
      this.by = right;
    }
  }

  #up(): void {
    const { by, enough, side } = this;
    this.#end();
    if (by === 0) return;
    this.#spent = true;
    if (enough) this.#meant.onswipe(side);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#start = undefined;
    this.by = 0;
  }

  #drop(event: Event): void {
    if (this.#spent) event.preventDefault();
  }
}

function stopper(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
