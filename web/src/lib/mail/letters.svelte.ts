import { restoreDraft } from "#lib/draft/draft.svelte.ts";
import { isRecord } from "#lib/hub/contents.ts";
import { type Hub, useHub } from "#lib/hub/hub.svelte.ts";
import { personal } from "#lib/hub/kept.ts";
import type { Tools } from "#lib/hub/types.ts";
import { writtenWhen } from "#lib/later/when.ts";
import { type Sending, Waiting } from "#lib/offline/waiting.svelte.ts";
import type { Call, Kept } from "#lib/offline/waiting-store.ts";

type Written =
  | { tool: "mail_send"; input: Tools["mail_send"]["input"] }
  | { tool: "mail_reply"; input: Tools["mail_reply"]["input"] };

/** A mail that is written: it goes to the hub, or waits for it here. */
export type Letter = Call &
  Written & {
    subject: string;
    to: readonly string[];
    /** Which draft it was written in. */
    draft: string;
  };
export type KeptLetter = Kept<Letter>;

type Sent = Tools["mail_send"]["output"];

export const draftName = (owner: string, of: string): string => personal(owner, `mail:${of}`);

export const LETTERS: Sending<Letter, Sent> = {
  section: "mail",
  // As far as the page depends on it; the rest of a call is the hub's to judge.
  isCall: ({ tool, input, draft, subject, to }) =>
    (tool === "mail_send" || tool === "mail_reply") &&
    isRecord(input) &&
    typeof input.body === "string" &&
    typeof draft === "string" &&
    typeof subject === "string" &&
    Array.isArray(to) &&
    to.every((name) => typeof name === "string"),
  post: (client, { key, ...letter }) =>
    letter.tool === "mail_send"
      ? client.call("mail_send", letter.input, { key })
      : client.call("mail_reply", letter.input, { key }),
  restore: (owner, letter) => restoreDraft(draftName(owner, letter.draft), letter.key, fieldsOf(letter)),
};

/** As they were written. A deadline is the moment it stood for. */
function fieldsOf(letter: Letter): Record<string, string> {
  const { body } = letter.input;
  if (letter.tool === "mail_reply") return { body };
  const { priority = "normal", deadline } = letter.input;
  const { subject, to } = letter;
  return { to: to.join(", "), subject, body, priority, deadline: deadline ? writtenWhen(deadline) : "" };
}

const ofHub = new WeakMap<Hub, Waiting<Letter, Sent>>();

export const useWaiting = (): Waiting<Letter, Sent> => waitingOf(useHub());

/** One for the page: what waits is sent also where the mail was left, or never opened. */
export function waitingOf(hub: Hub): Waiting<Letter, Sent> {
  const known = ofHub.get(hub);
  if (known) return known;
  const waiting = new Waiting(hub, LETTERS);
  waiting.follow();
  ofHub.set(hub, waiting);
  return waiting;
}
