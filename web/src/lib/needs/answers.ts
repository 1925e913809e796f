import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { whenWords } from "#lib/time.ts";
import type { Toaster } from "#lib/toast/toaster.svelte.ts";
import { goto } from "$app/navigation";
import { HubError } from "$client/index.ts";
import { readableJson } from "$readable";
import { visible } from "$visible";
import { type Edit, editIn } from "./edit-in.ts";
import type { Decision, Need, Needs, Verdict } from "./needs.svelte.ts";

const DECIDED: Record<Verdict, string> = {
  approve: "Approved.",
  deny_continue: "Denied.",
  deny_abort: "Denied, and its turn ends.",
  leave: "Left to its terminal.",
};

/** What a person does about what waits for them, and what they are told of it. */
export class Answers {
  readonly #hub: Hub;
  readonly #needs: Needs;
  readonly #toaster: Toaster;

  constructor(hub: Hub, needs: Needs, toaster: Toaster) {
    this.#hub = hub;
    this.#needs = needs;
    this.#toaster = toaster;
  }

  settle(need: Need, choice: string | undefined): Promise<void> {
    return this.#do(need, () => this.#needs.settle(need, choice), choice ? `Answered: ${choice}.` : "Marked as done.");
  }

  decide(need: Need, decision: Decision): Promise<void> {
    return this.#do(need, () => this.#needs.decide(need, decision), DECIDED[decision.decision]);
  }

  async decideSeveral(needs: readonly Need[], decision: Decision): Promise<void> {
    try {
      const { decided, refused } = await this.#needs.decideSeveral(needs, decision);
      const [first] = refused;
      const count = `${decided.length} of ${needs.length}`;
      if (first) this.#toaster.show({ text: `Decided ${count}. ${first.error}`, bad: true });
      else this.#toaster.show({ text: `${DECIDED[decision.decision].slice(0, -1)}: ${decided.length}.`, bad: false });
    } catch (error) {
      this.#toaster.show({ text: sentenceOf(error), bad: true });
    }
  }

  /** All arguments of a call: as they can be edited, and as they are read. */
  async whole(need: Need): Promise<{ text: string; shown: string; edit: Edit | undefined }> {
    const { arguments: given, covers, tool } = await this.#hub.client.call("approval_get", { id: need.id });
    const edit = covers === "arguments" ? editIn(tool, given) : undefined;
    // What a client showed of arguments is a text of its own, and read as one.
    const { preview } = Object(given);
    const shown = covers === "preview" && typeof preview === "string" ? preview : readableJson(given);
    return { text: JSON.stringify(given, null, 2), shown: visible(shown), edit };
  }

  reply(need: Need, text: string): Promise<void> {
    return this.#do(need, () => this.#needs.reply(need, text), "Answered.");
  }

  /** Whoever asks is told, so this is not taken back. */
  dismiss(need: Need): Promise<void> {
    return this.#do(need, () => this.#needs.dismiss(need), "Dismissed: nobody waits for it.");
  }

  release(need: Need, agents: readonly string[]): Promise<void> {
    return this.#do(need, () => this.#needs.release(agents), `${agents.join(" and ")} may go on.`);
  }

  /** Its sender is told, so this is not taken back. */
  acknowledge(need: Need): Promise<void> {
    return this.#do(need, () => this.#needs.sort(need, "ack"), "Acknowledged.");
  }

  archive(need: Need): Promise<void> {
    return this.#do(
      need,
      () => this.#needs.sort(need, "archive"),
      "Archived.",
      () => this.#needs.sort(need, "inbox"),
    );
  }

  later(need: Need, until: string): Promise<void> {
    const words = `Not now. It comes back ${whenWords(until, this.#hub.client.now())}.`;
    return this.#do(
      need,
      () => this.#needs.later(need, until),
      words,
      () => this.#needs.later(need, null),
    );
  }

  back(need: Need): Promise<void> {
    return this.#do(need, () => this.#needs.later(need, null), "Back on the list.");
  }

  /** It may be about mail between agents: then that is shown in the mailbox of one who got it. */
  async show(mail_id: string): Promise<void> {
    try {
      const { recipients } = await this.#hub.client.call("mail_status", { id: mail_id });
      const mine = recipients.some(({ name }) => name === this.#hub.me.principal);
      const box = mine ? undefined : recipients[0]?.name;
      await goto(`/mail${box === undefined ? "" : `/${encodeURIComponent(box)}`}?thread=${mail_id}`);
    } catch (error) {
      // What another person sent is known to those alone who got it.
      if (error instanceof HubError && error.code === "MAIL_NOT_FOUND") await goto(`/mail?thread=${mail_id}`);
      else this.#toaster.show({ text: sentenceOf(error), bad: true });
    }
  }

  async #do(need: Need, run: () => Promise<void>, text: string, undo?: () => Promise<void>): Promise<void> {
    try {
      await run();
      const act = undo && { words: "Undo", run: () => void this.#do(need, undo, "Taken back.") };
      this.#toaster.show({ text, bad: false, ...(act && { act }) });
    } catch (error) {
      // What somebody else has answered meanwhile is not there to be tried again.
      const again = { act: { words: "Try again", run: () => void this.#do(need, run, text, undo) } };
      this.#toaster.show({ text: sentenceOf(error), bad: true, ...(this.#needs.has(need.id) && again) });
    }
  }
}
