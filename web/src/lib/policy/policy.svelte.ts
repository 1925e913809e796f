import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { newKey } from "$client/index.ts";
import type { Policy, Preview, Versions } from "./types.ts";

/** The policy of the space as it is, a draft of the next one, and what that would have decided. */
export class PolicyPage {
  current = $state.raw<Policy>();
  versions = $state.raw<Versions>([]);
  /** An earlier one that is looked at. */
  shown = $state.raw<Policy>();
  draft = $state<string>();
  note = $state("");
  preview = $state.raw<Preview>();
  problem = $state<string>();
  saving = $state(false);
  readonly #hub: Hub;

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  load = (): Promise<void> =>
    this.#trying(async () => {
      const { client } = this.#hub;
      const [current, { versions }] = await Promise.all([
        client.call("policy_get", {}),
        client.call("policy_history", { limit: 100 }),
      ]);
      this.current = current;
      this.versions = versions;
    });

  look = (version: number): Promise<void> =>
    this.#trying(async () => {
      this.shown =
        version === this.current?.version ? undefined : await this.#hub.client.call("policy_get", { version });
    });

  edit = (from: Policy | undefined): void => {
    this.draft = from && JSON.stringify(from.document, null, 2);
    this.preview = undefined;
    this.problem = undefined;
  };

  /** By the same rules that decide when something is asked. */
  tryOut = (): Promise<void> =>
    this.#trying(async () => {
      this.preview = await this.#hub.client.call("policy_preview", { document: parsed(this.draft), limit: 100 });
    });

  save = (): Promise<void> =>
    this.#trying(async () => {
      const expected_version = this.current?.version ?? 0;
      const input = { document: parsed(this.draft), expected_version, note: this.note };
      await this.#hub.client.call("policy_set", input, { key: newKey() });
      this.draft = undefined;
      this.note = "";
      this.preview = undefined;
      this.shown = undefined;
      await this.load();
    });

  async #trying(run: () => Promise<void>): Promise<void> {
    this.saving = true;
    try {
      await run();
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof SyntaxError ? `This is not JSON: ${error.message}.` : sentenceOf(error);
    } finally {
      this.saving = false;
    }
  }
}

const parsed = (text: string | undefined): unknown => JSON.parse(text ?? "");
