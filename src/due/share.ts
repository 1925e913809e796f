import { LOOK_AGAIN_MS } from "./plan.ts";

/** For so long others leave what is due to the node that a space falls to: it may be gone without a word. */
const WAIT_MS = 2000;
/** By then the others have looked, and know of it too. */
const OWN_MS = LOOK_AGAIN_MS + WAIT_MS;

type Prefers = (space_id: string) => boolean;

/**
 * What of `due` this node handles. Of several nodes one is preferred for a space, or all of them would wake for the same
 * row and all but one in vain; what a node has just planned itself it also handles itself, since nobody else knows of it yet.
 */
export class Share {
  readonly #prefers: Prefers;
  /** Spaces that it has planned something in, and until when that counts by this process's own clock. */
  readonly #own = new Map<string, number>();

  constructor(prefers: Prefers) {
    this.#prefers = prefers;
  }

  planned(space_id: string): void {
    const now = performance.now();
    // In the order in which they were noted.
    for (const [known, until] of this.#own) if (until < now) this.#own.delete(known);
    this.#own.delete(space_id);
    this.#own.set(space_id, now + OWN_MS);
  }

  /** From when on this node handles what is due in a space at that time. */
  from({ space_id, at }: { space_id: string; at: string }): number {
    const isOwn = (this.#own.get(space_id) ?? 0) > performance.now() || this.#prefers(space_id);
    return Date.parse(at) + (isOwn ? 0 : WAIT_MS);
  }
}
