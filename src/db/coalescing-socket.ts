import { Socket } from "node:net";

type Written = (error?: Error | null) => void;

/**
 * Sends all that is written in one turn as one: pg hands over each statement by itself, and a batch of writes would be a
 * system call, and a packet, for each of them.
 */
export class CoalescingSocket extends Socket {
  #held = false;

  override cork(): void {
    this.#hold();
    super.cork();
  }

  override write(chunk: Uint8Array | string, how?: BufferEncoding | Written, written?: Written): boolean {
    this.#hold();
    return typeof how === "function" ? super.write(chunk, how) : super.write(chunk, how, written);
  }

  #hold(): void {
    if (this.#held || this.connecting) return;
    this.#held = true;
    super.cork();
    process.nextTick(() => {
      this.#held = false;
      super.uncork();
    });
  }
}
