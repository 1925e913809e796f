import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { Followed } from "#lib/live/followed.svelte.ts";
import { newKey } from "$client/index.ts";
import { Previewing } from "./previewing.svelte.ts";
import type { History, Policy } from "./types.ts";

const PAGE = 20;
/** A note has no room for more of a rule. */
const MOST_QUOTED = 500;

/** The policy of the space as it is, followed, a draft of the next one, and what that would have decided. */
export class PolicyPage extends Followed {
  current = $state.raw<Policy>();
  versions = $state.raw<History["versions"]>([]);
  /** Where those begin that are not shown; null where there are none. */
  next = $state<number | null>(null);
  /** An earlier one that is looked at. */
  shown = $state.raw<Policy>();
  draft = $state<string>();
  /** Which version the draft was made from. */
  drafted_from = $state(0);
  note = $state("");
  /** Why what was tried with the draft, or with a version, did not work. */
  refused = $state<string>();
  saving = $state(false);
  readonly previewing: Previewing;
  #pages = 1;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://policy"] });
    this.previewing = new Previewing(hub);
  }

  showMore = (): Promise<void> => {
    this.#pages += 1;
    return this.refresh();
  };

  look = (version: number): Promise<void> =>
    this.#trying(async () => {
      this.shown =
        version === this.current?.version ? undefined : await this.hub.client.call("policy_get", { version });
    });

  /** What was tried out, or refused, was another one. */
  redraft = (text: string): void => {
    this.draft = text;
    this.previewing.forget();
    this.refused = undefined;
  };

  edit = (from: Policy | undefined): void => {
    this.draft = from && JSON.stringify(from.document, null, 2);
    this.drafted_from = this.current?.version ?? 0;
    this.previewing.forget();
    this.refused = undefined;
  };

  /** By the same rules that decide when something is asked; the hub reads the text as it is, so nothing of it is lost. */
  tryOut = (): Promise<void> => this.#trying(() => this.previewing.read({ document: this.draft ?? "" }));

  save = (): Promise<void> =>
    this.#trying(async () => {
      await this.#set(this.draft ?? "", this.drafted_from, this.note);
      this.edit(undefined);
      this.note = "";
      this.shown = undefined;
    });

  /** Takes one rule out. Gives the way to put it back; rejects where the policy is another one by now. */
  async revoke(at: number): Promise<() => Promise<void>> {
    const before = this.current;
    if (!before) return async () => {};
    const words = (before.words[at] ?? "").slice(0, MOST_QUOTED);
    const { rules, ...rest } = documentOf(before);
    const { version } = await this.#set(
      { ...rest, rules: rules.toSpliced(at, 1) },
      before.version,
      `Removed: ${words}`,
    );
    return async () => {
      await this.#set(before.document, version, `Put back: ${words}`);
    };
  }

  protected override async read(): Promise<void> {
    const { client } = this.hub;
    const [current, { versions, next }] = await Promise.all([client.call("policy_get", {}), this.#history()]);
    this.current = current;
    this.versions = versions;
    this.next = next;
  }

  async #history(): Promise<History> {
    const versions: History["versions"] = [];
    for (let pages = 1, next: number | null = null; ; pages += 1) {
      const before = next === null ? {} : { before: next };
      const page: History = await this.hub.client.call("policy_history", { limit: PAGE, ...before });
      versions.push(...page.versions);
      next = page.next;
      if (next === null || pages >= this.#pages) return { versions, next };
    }
  }

  #set(document: unknown, expected_version: number, note: string): Promise<Policy> {
    return this.doing(this.hub.client.call("policy_set", { document, expected_version, note }, { key: newKey() }));
  }

  async #trying(run: () => Promise<void>): Promise<void> {
    this.saving = true;
    try {
      await run();
      this.refused = undefined;
    } catch (error) {
      this.refused = sentenceOf(error);
    } finally {
      this.saving = false;
    }
  }
}

interface Document {
  rules: readonly { expires_at?: string; reason?: string }[];
}

/** The hub has checked it before it was set. */
export const documentOf = ({ document }: Policy): Document => document as Document;
