import { randomBytes } from "node:crypto";

/**
 * Whether anybody hears what a channel pushes. A client takes a server for a channel only if its person said so and its
 * vendor lets it, and tells the server neither. So nothing counts until the conversation itself shows that it hears: by an
 * answer with a secret that stands on each push and nowhere else, or by asking for a permission, which a client asks only
 * of channels that it listens to.
 */
export class Listener {
  /** Part of each `chat_id`. */
  readonly secret = randomBytes(6).toString("hex");
  readonly #proof = Promise.withResolvers<void>();
  #heard = false;

  get heard(): boolean {
    return this.#heard;
  }

  /** Resolves once it is heard. */
  get proof(): Promise<void> {
    return this.#proof.promise;
  }

  prove(): void {
    this.#heard = true;
    this.#proof.resolve();
  }
}
