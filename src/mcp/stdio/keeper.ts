import { type HubHttp, NoAnswer, textOf } from "./hub-http.ts";
import type { Message } from "./message.ts";

/** In parts of a lease: one that got lost on the way costs nothing. */
const BEATS_A_LEASE = 3;
/** Of these the worker says which attempt it means; who knows only the first tools leaves it out. */
const FENCED = ["task_complete", "task_fail", "task_heartbeat"];
const ENDING = ["task_complete", "task_fail"];
/** What the hub says of a task that is not this worker's any more. */
const GONE = ["LEASE_LOST", "TASK_NOT_FOUND", "FORBIDDEN"];

interface Claim {
  task_id: string;
  attempt: number;
  /** Until it is told next that the worker lives. */
  timer?: NodeJS.Timeout;
  /** Ends that when the task is over. There is none in between: to end one costs more than all else here. */
  beat?: AbortController;
}

interface Asked {
  tool: unknown;
  task_id: string | undefined;
}

/**
 * Knows the tasks that were taken through this process. Their leases are renewed for as long as it lives, since its
 * client may know of none; calls that leave out which attempt, or which session, they mean are given it.
 */
export class Keeper {
  readonly #beat: HubHttp;
  readonly #session_key: string | undefined;
  readonly #asked = new Map<Message["id"], Asked>();
  readonly #claims = new Map<string, Claim>();

  constructor(http: HubHttp, session_key: string | undefined) {
    this.#beat = http.at("/api/tools/task_heartbeat");
    this.#session_key = session_key;
  }

  /** The request as the hub is to get it. */
  asked(message: Message): Message {
    const { id, method, params } = message;
    if (id === undefined || params === undefined) return message;
    const { name: tool, arguments: args = {} } = params;
    // The end of a long wait may be a task that was taken.
    if (method === "tasks/get" || tool === "get_next_task")
      this.#asked.set(id, { tool: "get_next_task", task_id: undefined });
    if (method !== "tools/call" || typeof tool !== "string") return message;
    const task_id = idIn(args.task_id);
    if (ENDING.includes(tool)) this.#asked.set(id, { tool, task_id });
    const more = this.#leftOut(tool, args, task_id);
    return more ? { ...message, params: { ...params, arguments: { ...args, ...more } } } : message;
  }

  #leftOut(tool: string, args: Record<string, unknown>, task_id: string | undefined): object | undefined {
    if (tool === "task_create" && this.#session_key !== undefined && args.session_key === undefined)
      return { session_key: this.#session_key };
    const claim = FENCED.includes(tool) && args.attempt === undefined ? this.#claims.get(task_id ?? "") : undefined;
    return claim && { attempt: claim.attempt };
  }

  /** What the hub said to it. */
  answered({ id, method, result }: Message): void {
    const asked = method === undefined ? this.#asked.get(id) : undefined;
    if (!asked) return;
    this.#asked.delete(id);
    if (asked.tool === "get_next_task") this.#take(result);
    // It is over; what is said of it from now on is about a task that is none of ours.
    else if (result && !result.isError && asked.task_id !== undefined) this.#drop(asked.task_id);
  }

  stop(): void {
    for (const task_id of [...this.#claims.keys()]) this.#drop(task_id);
  }

  #take(result: Message["result"]): void {
    const given =
      givenIn(result?.structuredContent) ?? givenIn((result?.result as Message["result"])?.structuredContent);
    if (!given || this.#claims.get(given.task_id)?.attempt === given.attempt) return;
    this.#drop(given.task_id);
    const claim: Claim = { task_id: given.task_id, attempt: given.attempt };
    this.#claims.set(claim.task_id, claim);
    this.#keep(claim, (given.lease_seconds * 1000) / BEATS_A_LEASE);
  }

  #drop(task_id: string): void {
    const claim = this.#claims.get(task_id);
    clearTimeout(claim?.timer);
    claim?.beat?.abort();
    this.#claims.delete(task_id);
  }

  #keep(claim: Claim, every_ms: number): void {
    claim.timer = setTimeout(async () => {
      await this.#tell(claim);
      if (this.#claims.get(claim.task_id) === claim) this.#keep(claim, every_ms);
    }, every_ms).unref();
  }

  async #tell(claim: Claim): Promise<void> {
    const { task_id, attempt } = claim;
    claim.beat = new AbortController();
    const { signal } = claim.beat;
    try {
      const reply = await this.#beat.reach({ method: "POST", message: { task_id, attempt }, signal }, true);
      const text = await textOf(reply.body);
      if (reply.status >= 400 && GONE.some((code) => text.includes(`"${code}"`))) this.#drop(task_id);
    } catch (error) {
      // A hub that is away comes back, and counts leases from then on. What is not kept by then is told to the worker.
      if (!(error instanceof NoAnswer) && !signal.aborted) throw error;
    }
  }
}

const idIn = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

interface Given {
  task_id: string;
  attempt: number;
  lease_seconds: number;
}

/** Undefined where no task was given. */
function givenIn(content: unknown): Given | undefined {
  const { next_task, active_task, lease_seconds } = Object(content);
  const { id, attempt } = Object(next_task ?? active_task);
  if (typeof id !== "string" || typeof attempt !== "number" || typeof lease_seconds !== "number") return undefined;
  return { task_id: id, attempt, lease_seconds };
}
