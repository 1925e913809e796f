import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { Notices } from "#lib/notices/notices.svelte.ts";
import type { Toaster } from "#lib/toast/toaster.svelte.ts";
import { goto } from "$app/navigation";
import { HubError, newKey } from "$client/index.ts";
import { hrefOf, type Place } from "./address.ts";

/** What a person does about a notice. */
export class Answers {
  readonly #hub: Hub;
  readonly #notices: Notices;
  readonly #toaster: Toaster;

  constructor(hub: Hub, notices: Notices, toaster: Toaster) {
    this.#hub = hub;
    this.#notices = notices;
    this.#toaster = toaster;
  }

  async settle(id: string, choice: string | undefined): Promise<void> {
    try {
      await this.#notices.settle(id, choice);
      this.#toaster.show({ text: choice ? `Answered: ${choice}.` : "Marked as done.", bad: false });
    } catch (error) {
      this.#fail(error, id, () => void this.settle(id, choice));
    }
  }

  /** Lets two agents that were stopped answer each other again, which is what the notice asked for. */
  async release(id: string, agents: readonly string[]): Promise<void> {
    try {
      // That ends the notice too.
      await this.#hub.client.call("mail_release", { agents: [...agents] }, { key: newKey() });
      this.#toaster.show({ text: `${agents.join(" and ")} may go on.`, bad: false });
    } catch (error) {
      this.#fail(error, id, () => void this.release(id, agents));
    }
  }

  /** It may be about mail between agents: then that is shown in the mailbox of one who got it. */
  async show(mail_id: string, place: Place): Promise<void> {
    try {
      const { recipients } = await this.#hub.client.call("mail_status", { id: mail_id });
      const mine = recipients.some(({ name }) => name === this.#hub.me.principal);
      const box = mine ? undefined : recipients[0]?.name;
      await goto(hrefOf({ ...place, folder: "inbox", q: "", compose: false, box, thread: mail_id }));
    } catch (error) {
      // What another person sent is known to those alone who got it.
      if (error instanceof HubError && error.code === "MAIL_NOT_FOUND") await goto(`/mail?thread=${mail_id}`);
      else this.#toaster.show({ text: sentenceOf(error), bad: true });
    }
  }

  /** What somebody else has answered meanwhile is not there to be tried again. */
  #fail(error: unknown, id: string, run: () => void): void {
    const again = { act: { words: "Try again", run } };
    this.#toaster.show({ text: sentenceOf(error), bad: true, ...(this.#notices.has(id) && again) });
  }
}
