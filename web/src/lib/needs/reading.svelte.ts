import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Answers } from "./answers.ts";
import { type Edit, mayBeEdit } from "./edit-in.ts";
import type { Need } from "./needs.svelte.ts";

/** What the hub writes where a card does not hold all of it. */
const CUT = "[… approval_get shows all of it …]";

/** What a person is shown of what is asked, and whether all of it was in view. */
export class Reading {
  /** Its title and its text as they were when all of them was in view. */
  seen_title = $state<string>();
  seen_text = $state<string>();
  /** What a call changes, where it is an edit. */
  edit = $state.raw<Edit>();
  problem = $state<string>();
  /** The call of which more has to be read than came with the list. */
  readonly read_for: string | null = $derived.by(() => {
    const { text, digest } = this.#need();
    return this.#is_cut || (this.#is_call && mayBeEdit(text)) ? digest : null;
  });
  /** All arguments of a call that a card has no room for, as they are read. */
  #whole = $state<string>();
  readonly #need: () => Need;
  readonly #answers: Pick<Answers, "whole">;

  constructor(need: () => Need, answers: Pick<Answers, "whole">) {
    this.#need = need;
    this.#answers = answers;
  }

  get text(): string {
    const { before, given, after } = this.parts;
    return before + given + after;
  }

  /** Of a call its arguments and what stands around them; of everything else all of it is before them. */
  get parts(): { before: string; given: string; after: string } {
    const { text, arguments_at: at } = this.#need();
    if (!at) return { before: text, given: "", after: "" };
    return {
      before: text.slice(0, at.from),
      given: this.#whole ?? text.slice(at.from, at.to),
      after: text.slice(at.to),
    };
  }

  /** Nothing is allowed before all of it was in view. To say no, nobody has to read it to its end. */
  get seen(): boolean {
    if (this.seen_title !== this.#need().title || (this.#is_cut && this.#whole === undefined)) return false;
    return this.text.trim() === "" || this.seen_text === this.text;
  }

  /** Once for each call that is asked about, and again where it failed. */
  async read(): Promise<void> {
    const call = this.read_for;
    this.#whole = undefined;
    this.edit = undefined;
    this.problem = undefined;
    try {
      const { shown, edit } = await this.#answers.whole(this.#need());
      if (call !== this.read_for) return;
      if (this.#is_cut) this.#whole = shown;
      this.edit = edit;
    } catch (error) {
      if (call === this.read_for) this.problem = sentenceOf(error);
    }
  }

  get #is_call(): boolean {
    return this.#need().tool === "approval_decide";
  }

  get #is_cut(): boolean {
    return this.#is_call && this.#need().text.includes(CUT);
  }
}
