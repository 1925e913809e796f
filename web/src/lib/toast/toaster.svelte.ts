interface Toast {
  text: string;
  bad: boolean;
  /** What can be done about it: take it back, or try it again. */
  act?: { words: string; run: () => void };
}

/** Long enough to read it and to press `z`. */
const SHOWN_MS = 10_000;

/** The last thing that was done, for as long as it can be taken back. */
export class Toaster {
  current = $state.raw<Toast>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(toast: Toast): void {
    this.current = toast;
    this.release();
  }

  /** While somebody points at it, it stays. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    clearTimeout(this.#timer);
    // What went wrong stays until it was read.
    if (this.current?.bad === false) this.#timer = setTimeout(() => this.close(), SHOWN_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.current = undefined;
  }
}
