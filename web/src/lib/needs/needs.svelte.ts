import { getContext, setContext } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { sentenceOf } from "#lib/hub/sentence.ts";
import type { GlanceParts, Tools } from "#lib/hub/types.ts";
import type { Glance } from "#lib/live/glance.ts";
import { HubError, newKey } from "$client/index.ts";

export type Need = NonNullable<GlanceParts["needs"]["needs"]>[number];

type NeedList = Tools["need_list"]["output"];

export type Verdict = "approve" | "deny_continue" | "deny_abort" | "leave";

export interface Decision {
  decision: Verdict;
  reason?: string;
  /** JSON, to be run instead. */
  edited_arguments?: string;
}

/** Whether it can be decided together with others: what may do harm is looked at by itself. */
export const mayChoose = ({ risk, choices }: Need): boolean =>
  risk === "low" && (choices?.includes("approve") ?? false);

interface Several {
  decided: string[];
  refused: { id: string; code: string; error: string }[];
}

/** The hub counts no further, and lists no more at a time. */
const MOST_COUNTED = 100;

/** What waits for this person: how much on every page, and all of it on its own. */
export class Needs {
  count = $state(0);
  /** Whoever is held up first, and among those what matters more and who has waited longest. */
  list = $state.raw<readonly Need[]>([]);
  /** What comes back later, the next one first. */
  put_off = $state.raw<readonly Need[]>([]);
  loaded = $state(false);
  /** Whether more waits than is listed: what has waited longer is read when somebody asks for it. */
  more = $state(false);
  problem = $state<string>();
  /** How many pages of that somebody has asked for. */
  #older_pages = 0;
  /** Counts what was read, so that older pages that come late are not put below a newer one. */
  #reading = 0;
  /** Whether its page is shown. */
  #open = false;
  #known = false;
  /** Whoever reads the person's own mailbox hands over how much there is. */
  #covered = false;
  readonly #hub: Pick<Hub, "client">;
  readonly #glance: Pick<Glance, "refresh">;

  constructor(hub: Pick<Hub, "client">, glance: Pick<Glance, "add" | "refresh">) {
    this.#hub = hub;
    this.#glance = glance;
    glance.add("needs", {
      take: (part) => this.#take(part),
      fail: (sentence) => {
        this.problem = sentence;
      },
      heeds: ({ anew, about }) => !this.#covered || !(anew || about.topic !== "notice"),
      full: () => this.#open,
    });
  }

  /** How much there is, as a badge says it. */
  get counted(): string {
    return this.count === 0 ? "" : `${this.count}${this.count >= MOST_COUNTED ? "+" : ""}`;
  }

  /** Its page is shown. Returns the way to stop. */
  open(): () => void {
    this.#open = true;
    // Where nothing was read yet, all of it is.
    if (this.#known) void this.refresh();
    return () => {
      this.#open = false;
      this.#older_pages = 0;
      this.loaded = false;
      this.more = false;
      this.list = [];
      this.put_off = [];
    };
  }

  /** Somebody else reads how much there is. Returns the way to stop. */
  cover(): () => void {
    this.#covered = true;
    return () => {
      this.#covered = false;
    };
  }

  refresh(): Promise<void> {
    this.problem = undefined;
    return this.#glance.refresh("needs");
  }

  /** Lists a page more, of what has waited longer than what is listed. */
  readOn(): Promise<void> {
    this.#older_pages += 1;
    return this.refresh();
  }

  has(id: string): boolean {
    return this.list.some((need) => need.id === id);
  }

  /** Rejects with who was first where somebody was. */
  settle({ id, digest, tool }: Need, choice: string | undefined): Promise<void> {
    // Only about what is shown: what says more by now is looked at again.
    const about = { id, digest: digest ?? "" };
    if (tool === "policy_decide" && (choice === "accept" || choice === "reject"))
      return this.#dealing((client, key) => client.call("policy_decide", { ...about, decision: choice }, key));
    return this.#dealing((client, key) => client.call("notice_settle", { ...about, ...(choice && { choice }) }, key));
  }

  /** About a tool call, of exactly what is shown. Rejects with who was first where somebody was. */
  decide({ id, digest }: Need, { decision, reason, edited_arguments }: Decision): Promise<void> {
    const decided = { decision, reason: reason ?? "", ...(edited_arguments !== undefined && { edited_arguments }) };
    return this.#dealing((client, key) =>
      client.call("approval_decide", { id, digest: digest ?? "", ...decided }, key),
    );
  }

  /** The same about several. Gives how many were decided, and why others were not. */
  async decideSeveral(needs: readonly Need[], { decision, reason }: Decision): Promise<Several> {
    const approvals = needs.map(({ id, digest }) => ({ id, digest: digest ?? "" }));
    let outcome: Several = { decided: [], refused: [] };
    await this.#dealing(async (client, key) => {
      outcome = await client.call("approval_decide_several", { approvals, decision, reason: reason ?? "" }, key);
    });
    return outcome;
  }

  /** In words, to a question. Rejects where somebody was first, or it is no longer asked. */
  reply({ id: question_id }: Need, answer: string): Promise<void> {
    return this.#dealing(async (client, key) => {
      const { answered } = await client.call("submit_answers", { answers: [{ question_id, answer }] }, key);
      if (answered.length === 0)
        throw new HubError("ALREADY_DECIDED", "Somebody was first: it is answered, or no longer asked.");
    });
  }

  /** Nobody will answer it: whoever asks goes on without. */
  dismiss({ id: question_id }: Need): Promise<void> {
    return this.#dealing((client, key) => client.call("question_dismiss", { question_id }, key));
  }

  /** Lets two agents that were stopped answer each other again, which is what the notice asked for. */
  release(agents: readonly string[]): Promise<void> {
    return this.#dealing((client, key) => client.call("mail_release", { agents: [...agents] }, key));
  }

  sort({ id }: Need, action: "ack" | "archive" | "inbox"): Promise<void> {
    return this.#dealing((client, key) => client.call("mail_update", { ids: [id], action }, key));
  }

  /** Not now, or with null now after all. */
  later({ id }: Need, until: string | null): Promise<void> {
    return this.#dealing((client, key) => client.call("need_later", { id, until }, key));
  }

  async #dealing(deal: (client: Hub["client"], options: { key: string }) => Promise<unknown>): Promise<void> {
    try {
      await deal(this.#hub.client, { key: newKey() });
    } finally {
      await this.refresh();
    }
  }

  /** How much there is, read along with something else. */
  hear(count: number): void {
    this.count = count;
    this.#known = true;
  }

  #take({ count, needs, next, put_off }: GlanceParts["needs"]): void {
    this.hear(count);
    this.problem = undefined;
    if (!needs || !this.#open) return;
    this.put_off = (put_off ?? []).toSorted((one, other) => backAt(one) - backAt(other));
    this.#reading += 1;
    if (next === null || this.#older_pages === 0) this.#show(needs, next);
    else void this.#withOlder(needs, next);
  }

  async #withOlder(newest: readonly Need[], next: string): Promise<void> {
    const reading = this.#reading;
    const needs = [...newest];
    let before: string | null = next;
    try {
      for (let page = 0; page < this.#older_pages && before !== null; page += 1) {
        const older: NeedList = await this.#hub.client.call("need_list", { limit: MOST_COUNTED, before });
        needs.push(...older.needs);
        before = older.next;
      }
    } catch (error) {
      if (reading === this.#reading) this.problem = sentenceOf(error);
    }
    if (reading === this.#reading && this.#open) this.#show(needs, before);
  }

  #show(needs: readonly Need[], next: string | null): void {
    this.list = needs.toSorted(byUrgency);
    this.more = next !== null;
    this.loaded = true;
  }
}

const PRIORITIES = ["high", "medium", "low"];

/** Who is held up first, then what matters more, then what has waited longest. */
const byUrgency = (one: Need, other: Need): number =>
  rank(one) - rank(other) || weight(one) - weight(other) || Number(one.id) - Number(other.id);
/** Who asks cannot go on, unless they say that they can; who tells something can. */
const rank = ({ choices, tool, blocking }: Need): number =>
  choices === null && tool !== "submit_answers" ? 2 : blocking === false ? 1 : 0;
/** Of what says nothing of it: as most do. */
const weight = ({ priority = "medium" }: Need): number => PRIORITIES.indexOf(priority);
const backAt = ({ put_off_until }: Need): number => Date.parse(put_off_until ?? "");

const KEY = Symbol("needs");
export const provideNeeds = (hub: Hub, glance: Glance): Needs => setContext(KEY, new Needs(hub, glance));
export const useNeeds = (): Needs => getContext<Needs>(KEY);
