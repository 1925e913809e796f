import { isRecord } from "#lib/hub/contents.ts";
import { keep, keptNames, personal, recall } from "#lib/hub/kept.ts";

/** A finished call. Its key makes it one, however often it is made. */
export interface Call {
  key: string;
}

export type Kept<C extends Call> = C & {
  /** Since when it waits, by our own clock. Their order is that of these. */
  at: number;
  /** The hub was asked, and did not answer: it may have done it. */
  tried?: boolean | undefined;
  /** Why it is not sent by itself. */
  problem?: string | undefined;
};

/**
 * The calls of one principal that wait in this browser. An entry each, so that two tabs that change something at once do
 * not undo each other's change.
 */
export class WaitingStore<C extends Call> {
  /** What the names of its entries begin with. */
  readonly beginning: string;
  readonly #isCall: (value: Record<string, unknown>) => boolean;

  constructor(owner: string, section: string, isCall: (value: Record<string, unknown>) => boolean) {
    this.beginning = personal(owner, `${section}:waiting:`);
    this.#isCall = isCall;
  }

  list(): Kept<C>[] {
    return keptNames(this.beginning)
      .map((name) => this.#parsed(recall(name)))
      .filter((kept) => kept !== undefined)
      .sort((a, b) => a.at - b.at);
  }

  find(key: string): Kept<C> | undefined {
    return this.#parsed(recall(this.beginning + key));
  }

  /** False where this browser could not keep it. */
  put(kept: Kept<C>): boolean {
    return keep(this.beginning + kept.key, JSON.stringify(kept));
  }

  remove(key: string): void {
    keep(this.beginning + key, null);
  }

  #parsed(text: string | null): Kept<C> | undefined {
    if (text === null) return undefined;
    try {
      const kept: unknown = JSON.parse(text);
      return this.#isKept(kept) ? kept : undefined;
    } catch {
      // Not of our making: nothing waits there.
      return undefined;
    }
  }

  #isKept(value: unknown): value is Kept<C> {
    return (
      isRecord(value) &&
      this.#isCall(value) &&
      typeof value.key === "string" &&
      Number.isFinite(value.at) &&
      (value.tried === undefined || typeof value.tried === "boolean") &&
      (value.problem === undefined || typeof value.problem === "string")
    );
  }
}
