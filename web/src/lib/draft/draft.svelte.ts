import { isRecord } from "#lib/hub/contents.ts";
import { keep, recall } from "#lib/hub/kept.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { newKey } from "$client/index.ts";

/**
 * Something that is being written, kept over a reload. The key goes with the text: as long as the text stays the same,
 * sending it again cannot send it twice, whatever became of the first time.
 */
export class Draft<T extends Record<string, string>> {
  fields: T;
  sending = $state(false);
  problem = $state<string>();
  readonly #name: string;
  readonly #empty: T;
  #key: string | undefined;

  /** `name` is what this browser keeps it by: of one person, and of what is written. */
  constructor(name: string, empty: T) {
    this.#name = name;
    this.#empty = empty;
    const { key, fields } = recallDraft(this.#name);
    this.#key = key;
    this.fields = $state({ ...empty, ...fields });
  }

  /** After each change by hand. */
  changed(): void {
    this.#key = undefined;
    this.#keep();
  }

  clear(): void {
    this.#key = undefined;
    this.fields = { ...this.#empty };
    keep(this.#name, null);
  }

  /** Undefined when it failed, with the reason in `problem` and the text where it was. */
  async send<Outcome>(post: (fields: T, key: string) => Promise<Outcome>): Promise<Outcome | undefined> {
    if (this.sending) return undefined;
    this.sending = true;
    this.problem = undefined;
    this.#key ??= newKey();
    this.#keep();
    try {
      const outcome = await post({ ...this.fields }, this.#key);
      this.clear();
      return outcome;
    } catch (error) {
      this.problem = sentenceOf(error);
      return undefined;
    } finally {
      this.sending = false;
    }
  }

  #keep(): void {
    const isEmpty = Object.entries(this.fields).every(([name, text]) => text === this.#empty[name]);
    keep(this.#name, isEmpty ? null : JSON.stringify({ key: this.#key, fields: this.fields }));
  }
}

/** Puts what was sent back to be written on. Gives the reason where that cannot be. */
export function restoreDraft(name: string, key: string, fields: Record<string, string>): string | undefined {
  if (recall(name) !== null) return "There is a draft in its place. Send or discard that one first.";
  return keep(name, JSON.stringify({ key, fields })) ? undefined : "This browser has no room for it.";
}

function recallDraft(name: string): { key: string | undefined; fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  let kept: unknown;
  try {
    kept = JSON.parse(recall(name) ?? "null");
  } catch {
    // Not of our making: there is no draft.
    kept = null;
  }
  if (!isRecord(kept) || !isRecord(kept.fields)) return { key: undefined, fields };
  for (const [field, text] of Object.entries(kept.fields)) if (typeof text === "string") fields[field] = text;
  return { key: typeof kept.key === "string" ? kept.key : undefined, fields };
}
