import { isRecord } from "#lib/hub/contents.ts";
import { keep, keptNames, personal, recall } from "#lib/hub/kept.ts";
import type { Tools } from "#lib/hub/types.ts";

/** A finished call. Its key makes it one, however often it is made. */
type Call =
  | { tool: "mail_send"; input: Tools["mail_send"]["input"] }
  | { tool: "mail_reply"; input: Tools["mail_reply"]["input"] };

export type Written = Call & { subject: string; to: readonly string[] };

export type Letter = Written & {
  key: string;
  /** Which draft it was written in. */
  draft: string;
};

export type Kept = Letter & {
  /** Since when it waits, by our own clock. Their order is that of these. */
  at: number;
  /** The hub was asked, and did not answer: it may have done it. */
  tried?: boolean | undefined;
  /** Why it is not sent by itself. */
  problem?: string | undefined;
};

/**
 * The mail of one principal that waits in this browser. An entry each, so that two tabs that change something at once do
 * not undo each other's change.
 */
export class WaitingStore {
  /** What the names of its entries begin with. */
  readonly beginning: string;

  constructor(owner: string) {
    this.beginning = personal(owner, "mail:waiting:");
  }

  list(): Kept[] {
    return keptNames(this.beginning)
      .map((name) => parsed(recall(name)))
      .filter((kept) => kept !== undefined)
      .sort((a, b) => a.at - b.at);
  }

  find(key: string): Kept | undefined {
    return parsed(recall(this.beginning + key));
  }

  /** False where this browser could not keep it. */
  put(kept: Kept): boolean {
    return keep(this.beginning + kept.key, JSON.stringify(kept));
  }

  remove(key: string): void {
    keep(this.beginning + key, null);
  }
}

function parsed(text: string | null): Kept | undefined {
  if (text === null) return undefined;
  try {
    const kept: unknown = JSON.parse(text);
    return isKept(kept) ? kept : undefined;
  } catch {
    // Not of our making: nothing waits there.
    return undefined;
  }
}

/** As far as the page depends on it; the rest of a call is the hub's to judge. */
const isKept = (value: unknown): value is Kept =>
  isRecord(value) &&
  (value.tool === "mail_send" || value.tool === "mail_reply") &&
  isRecord(value.input) &&
  typeof value.input.body === "string" &&
  typeof value.key === "string" &&
  typeof value.draft === "string" &&
  typeof value.subject === "string" &&
  Array.isArray(value.to) &&
  value.to.every((name) => typeof name === "string") &&
  Number.isFinite(value.at) &&
  (value.tried === undefined || typeof value.tried === "boolean") &&
  (value.problem === undefined || typeof value.problem === "string");
