import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Tools } from "#lib/hub/types.ts";
import { Followed, IN_BURSTS } from "#lib/live/followed.svelte.ts";
import { HubError, newKey } from "$client/index.ts";
import type { Question } from "./types.ts";

type Page = Tools["get_all_questions"]["output"];

const RANKS = { high: 0, medium: 1, low: 2 } as const;

/** What agents ask people: what waits, and what was said. */
export class Questions extends Followed {
  /** What holds up work first, then by how much it matters, then by how long it has waited. */
  open = $state.raw<readonly Question[]>([]);
  /** The last one first. */
  over = $state.raw<readonly Question[]>([]);
  has_more = $state(false);
  #pages = 1;

  constructor(hub: Pick<Hub, "client">) {
    super(hub, { uris: ["parley://workspace/questions"], gather: IN_BURSTS });
  }

  /** Throws who was first where somebody was. */
  async answer(question_id: string, answer: string): Promise<void> {
    try {
      const answers = [{ question_id, answer }];
      const { answered } = await this.hub.client.call("submit_answers", { answers }, { key: newKey() });
      if (answered.length === 0)
        throw new HubError("ALREADY_DECIDED", "Somebody was first: it is answered, or no longer asked.");
    } finally {
      await this.refresh();
    }
  }

  async dismiss(question_id: string): Promise<void> {
    try {
      await this.hub.client.call("question_dismiss", { question_id }, { key: newKey() });
    } finally {
      await this.refresh();
    }
  }

  showMore(): Promise<void> {
    this.#pages += 1;
    return this.refresh();
  }

  protected async read(): Promise<void> {
    const { questions, next } = await this.#readPages();
    this.has_more = next !== null;
    const known = new Set(questions.map(({ id }) => id));
    // What has waited for long may be further down than was read, and is what matters.
    const older = next === null ? [] : (await this.hub.client.call("get_pending_questions", {})).questions;
    this.open = [...questions, ...older.filter(({ id }) => !known.has(id))]
      .filter(({ state }) => state === "open")
      .toSorted(
        (one, other) =>
          Number(other.blocking) - Number(one.blocking) ||
          RANKS[one.priority] - RANKS[other.priority] ||
          Number(one.id) - Number(other.id),
      );
    this.over = questions.filter(({ state }) => state !== "open");
  }

  async #readPages(): Promise<{ questions: Question[]; next: string | null }> {
    const questions: Question[] = [];
    for (let pages = 1, next: string | null = null; ; pages += 1) {
      const page: Page = await this.hub.client.call("get_all_questions", next === null ? {} : { before: next });
      questions.push(...page.questions);
      next = page.next;
      if (next === null || pages >= this.#pages) return { questions, next };
    }
  }
}
