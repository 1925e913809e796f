/** What rounding may leave between two parts that touch. */
const SLACK_PX = 2;

type Stretch = readonly [top: number, bottom: number];

/** The parts of something tall that were in view, from its top on. */
export class Seen {
  #height = 0;
  #parts: Stretch[] = [];

  /** Of something that is laid out anew nothing was seen: what stood where is no longer known. */
  add(height: number, [top, bottom]: Stretch): void {
    if (height !== this.#height) this.#parts = [];
    this.#height = height;
    const touching = this.#parts.filter((part) => part[0] <= bottom + SLACK_PX && part[1] >= top - SLACK_PX);
    const whole: Stretch = [
      Math.min(top, ...touching.map((part) => part[0])),
      Math.max(bottom, ...touching.map((part) => part[1])),
    ];
    this.#parts = [...this.#parts.filter((part) => !touching.includes(part)), whole];
  }

  get all(): boolean {
    return this.#parts.some(([top, bottom]) => top <= SLACK_PX && bottom >= this.#height - SLACK_PX);
  }
}

/** Calls back once anything of an element is in view. */
export function onceInView(element: Element, inView: () => void): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) inView();
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Calls back once all of an element was in view, be it bit by bit. Who jumps to its end has not seen its middle. */
export function onceSeen(element: Element, seenAll: () => void): () => void {
  const seen = new Seen();
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry?.isIntersecting) return;
    const { boundingClientRect: whole, intersectionRect: shown } = entry;
    seen.add(whole.height, [shown.top - whole.top, shown.bottom - whole.top]);
    if (seen.all) seenAll();
  });
  // Observing it anew is what has the browser say which part is in view now: it speaks up by itself only when that is
  // more or less than before.
  const look = (): void => {
    observer.unobserve(element);
    observer.observe(element);
  };
  addEventListener("scroll", look, { capture: true, passive: true });
  addEventListener("resize", look);
  look();
  return () => {
    removeEventListener("scroll", look, { capture: true });
    removeEventListener("resize", look);
    observer.disconnect();
  };
}
