import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import { whenWords } from "#lib/time.ts";
import type { Toaster } from "#lib/toast/toaster.svelte.ts";
import { inverse, type Step } from "./copies.ts";
import type { Mailbox } from "./mailbox.svelte.ts";
import type { Action, Copy } from "./types.ts";

type Sorted = Copy & { id: string };

const DONE: Record<Action, string> = {
  read: "marked read",
  unread: "marked unread",
  ack: "acknowledged",
  archive: "archived",
  trash: "moved to the trash",
  inbox: "moved to the inbox",
  snooze: "snoozed",
};

/** Sorts mail, says so, and offers to take it back. */
export class Triage {
  readonly #hub: Hub;
  readonly #mailbox: Mailbox;
  readonly #toaster: Toaster;

  constructor(hub: Hub, mailbox: Mailbox, toaster: Toaster) {
    this.#hub = hub;
    this.#mailbox = mailbox;
    this.#toaster = toaster;
  }

  async run(copies: readonly Sorted[], action: Action, until?: string): Promise<void> {
    if (copies.length === 0) return;
    const steps = inverse(copies, action);
    const how_long = until === undefined ? "" : ` until ${whenWords(until, this.#hub.client.now())}`;
    const text = `${count(copies.length)} ${DONE[action]}${how_long}.`;
    const undo = { words: "Undo", run: () => void this.#undo(copies, steps) };
    this.#toaster.show({ text, bad: false, ...(steps.length > 0 && { act: undo }) });
    try {
      await this.#mailbox.act(copies, action, until);
    } catch (error) {
      const run = (): void => void this.run(copies, action, until);
      this.#fail(`${count(copies.length)} not ${DONE[action]}. ${sentenceOf(error)}`, run);
    }
  }

  async #undo(copies: readonly Sorted[], steps: readonly Step[]): Promise<void> {
    this.#toaster.show({ text: "Taken back.", bad: false });
    try {
      for (const { action, until, ids } of steps) {
        // A snooze that would have ended meanwhile has ended.
        const over = until !== undefined && Date.parse(until) <= this.#hub.client.now();
        const before = copies.filter(({ id }) => ids.includes(id));
        await this.#mailbox.act(before, over ? "inbox" : action, over ? undefined : until);
      }
    } catch (error) {
      this.#fail(`Not taken back. ${sentenceOf(error)}`, () => void this.#undo(copies, steps));
    }
  }

  #fail(text: string, run: () => void): void {
    this.#toaster.show({ text, bad: true, act: { words: "Try again", run } });
  }
}

const count = (mails: number): string => (mails === 1 ? "1 mail" : `${mails} mails`);
