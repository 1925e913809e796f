import type { ParleyError } from "../errors.ts";
import { RateLimit } from "../rate-limit.ts";

/**
 * The limit of what is open to everybody and costs more than a page, such as each webhook. One place that requests come from
 * may use half of it: a stranger who knows the address does not keep out those whom it is for.
 */
export class AddressLimit {
  readonly #whole: RateLimit;
  readonly #share: RateLimit;

  constructor(rate: number, limited: () => void) {
    this.#whole = new RateLimit(rate, limited, "requests");
    this.#share = new RateLimit(rate / 2, limited, "requests");
  }

  /** What a request has to be refused with before anything of it is read; undefined while there is room for it. */
  refusal(address: string, source: string): ParleyError | undefined {
    const own = shareOf(address, source);
    if (this.#share.isSpent(own)) return this.#share.refusal(own);
    return this.#whole.isSpent(address) ? this.#whole.refusal(address) : undefined;
  }

  spend(address: string, source: string, cost: number): void {
    this.#share.spend(shareOf(address, source), cost);
    this.#whole.spend(address, cost);
  }
}

const shareOf = (address: string, source: string): string => `${source} ${address}`;
