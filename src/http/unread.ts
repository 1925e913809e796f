import type { ServerResponse } from "node:http";
import { ParleyError } from "../errors.ts";

/** Bytes of answers that one principal may leave unread. */
const MOST_UNREAD = 4 * 1024 * 1024;
const RETRY_AFTER = 1;

/** What the hub keeps for those who ask and do not read: one principal's connections have no more than one of them. */
export class Unread {
  readonly #bytes = new Map<string, number>();

  /** Refuses whoever has to read first. */
  check(principal_id: string): void {
    if ((this.#bytes.get(principal_id) ?? 0) <= MOST_UNREAD) return;
    throw new ParleyError(
      "RATE_LIMITED",
      `You have not read the answers to your calls. Read them, and try again in ${RETRY_AFTER} s.`,
      { details: { retry_after: RETRY_AFTER } },
    );
  }

  /** To be told of each answer when all of it was written. Streams have bounds of their own. */
  add(principal_id: string, response: ServerResponse): void {
    const bytes = response.writableLength;
    if (!response.writableEnded || response.writableFinished || bytes === 0) return;
    this.#change(principal_id, bytes);
    response.once("close", () => this.#change(principal_id, -bytes));
  }

  #change(principal_id: string, bytes: number): void {
    const unread = (this.#bytes.get(principal_id) ?? 0) + bytes;
    if (unread > 0) this.#bytes.set(principal_id, unread);
    else this.#bytes.delete(principal_id);
  }
}
