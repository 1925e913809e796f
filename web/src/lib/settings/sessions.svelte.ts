import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Token } from "#lib/hub/types.ts";
import { HubError } from "$client/index.ts";

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
      this.tokens = tokens.filter(({ revoked_at }) => revoked_at === null).reverse();
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof HubError ? error.message : String(error);
    }
  }

  async revoke(id: string): Promise<void> {
    this.revoking = id;
    try {
      await this.#hub.client.call("token_revoke", { id });
      await this.refresh();
    } catch (error) {
      this.problem = error instanceof HubError ? error.message : String(error);
    } finally {
      this.revoking = undefined;
    }
  }
}
