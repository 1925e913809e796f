import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Token } from "#lib/hub/types.ts";
import { HubError } from "$client/index.ts";

/** Somebody else was faster. */
const OVER = ["CONFLICT", "NOT_FOUND"];

/** Who is signed in, and with what. For admin alone. */
export class Sessions {
  tokens = $state.raw<readonly Token[]>();
  problem = $state<string>();
  revoking = $state<string>();
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  async refresh(): Promise<void> {
    try {
      const { tokens } = await this.#hub.client.call("token_list", {});
      const valid = tokens.filter(({ revoked_at }) => revoked_at === null).reverse();
      // The own one first: it is the one not to revoke by mistake.
      this.tokens = [...valid.filter(({ current }) => current), ...valid.filter(({ current }) => !current)];
      this.problem = undefined;
    } catch (error) {
      this.problem = sentenceOf(error);
    }
  }

  async revoke({ id, current }: Token): Promise<void> {
    this.revoking = id;
    try {
      // Of the own one the cookie has to go too.
      if (current) return await this.#hub.signOut();
      await this.#hub.client.call("token_revoke", { id });
      await this.refresh();
    } catch (error) {
      const over = error instanceof HubError && OVER.includes(error.code);
      if (over) await this.refresh();
      this.problem = over ? "It was revoked already." : sentenceOf(error);
    } finally {
      this.revoking = undefined;
    }
  }
}
