/**
 * One generation of an agent's runtime: what people say comes in here, each message once and in order, and what they want
 * of it. At most one question is open at a time, and whatever came meanwhile is in the next answer, so a storm of messages
 * costs one read.
 */
import { HubError } from "../client/index.ts";
import { hit } from "../failpoints.ts";
import type { ToolTypes } from "../modules/index.ts";
import type { LogEvent } from "../modules/timeline/index.ts";
import type { RetryingPort } from "./port.ts";

/** Shorter than the hub would wait: so it hears that the runtime is there. */
const WAIT_SECONDS = 20;

export type Input = Extract<LogEvent, { type: "UserText" | "Resumed" }>;

export interface Wanted {
  paused: boolean;
  abort_turn_id: string | null;
  tools_off: boolean;
}

export type WaitingCall = ToolTypes["runtime_next"]["output"]["calls"][number];

interface Opening {
  driver: string;
  with_token?: boolean;
  account?: string | undefined;
  signal: AbortSignal;
}

type Cut = NonNullable<ToolTypes["runtime_next"]["output"]["over"]>["outcome"];

type Started = ToolTypes["runtime_start"]["output"];

/** Why nothing more comes. */
export type IntakeEnd = "superseded" | "stopped";

export class Intake {
  readonly fence: number;
  /** What the agent followed before. */
  readonly subscriptions: Started["subscriptions"];
  /** As whom its model is told that it acts. */
  readonly known_as: string;
  /** For the program that does the turns, if one does. */
  readonly token: string | null;
  readonly #port: RetryingPort;
  readonly #stop = new AbortController();
  readonly #over: Promise<IntakeEnd>;
  #after_id: string | null;
  #waiting: Input[] = [];
  #calls: WaitingCall[] = [];
  /** Of those that wait at the hub, which it has given already. */
  #known_calls: string[] = [];
  #wanted: Wanted;
  /** The turn that runs here, and how the hub has ended it, if it has. */
  #turn: { id: string; cut?: Cut } | undefined;
  #listeners = new Set<() => void>();
  #fetching: Promise<void> | undefined;
  #again = false;

  static async open(port: RetryingPort, { driver, with_token = false, account, signal }: Opening): Promise<Intake> {
    return new Intake(port, await port.call("runtime_start", { driver, with_token, account }, { signal }), signal);
  }

  private constructor(
    port: RetryingPort,
    { fence, known_as, token, after_id, subscriptions, paused, abort_turn_id, tools_off }: Started,
    signal: AbortSignal,
  ) {
    this.#port = port;
    this.fence = fence;
    this.subscriptions = subscriptions;
    this.known_as = known_as;
    this.token = token;
    this.#after_id = after_id;
    this.#wanted = { paused, abort_turn_id, tools_off };
    if (signal.aborted) this.#stop.abort();
    signal.addEventListener("abort", () => this.stop(), { once: true });
    this.#over = this.#listen();
    // Whoever awaits it hears of it; it may end before anybody does, and a process does not end by that.
    this.#over.catch(() => {});
  }

  /** Resolves when nothing more comes; rejects for what no waiting helps against. */
  get over(): Promise<IntakeEnd> {
    return this.#over;
  }

  /** Nothing more comes: from then on nothing is waited for here. */
  get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  get wanted(): Wanted {
    return this.#wanted;
  }

  /** From now on the hub is asked whether it has ended this turn by itself. */
  enter(turn_id: string): void {
    this.#turn = { id: turn_id };
  }

  leave(): void {
    this.#turn = undefined;
  }

  /** How the hub has ended the turn that runs here, if it has: it had not heard of this runtime. What is not taken comes once more. */
  cutOf(turn_id: string): Cut | undefined {
    return this.#turn?.id === turn_id ? this.#turn.cut : undefined;
  }

  /** What came and was not taken yet, oldest first. It is taken with this. */
  take(): Input[] {
    return this.#waiting.splice(0);
  }

  /** What people called, likewise. One may come again. */
  takeCalls(): WaitingCall[] {
    return this.#calls.splice(0);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Once this resolves, what was acknowledged to its author before the call has come in. At most one waits behind the one that is asked. */
  async catchUp(): Promise<void> {
    this.#again = true;
    this.#fetching ??= this.#fetchAll();
    await this.#fetching;
  }

  /** Resolves when something came, or something else is wanted, or it is over. */
  changed(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => this.#listeners.add(resolve));
  }

  /** Whoever waits for something looks again. */
  nudge(): void {
    this.#tell();
  }

  stop(): void {
    this.#stop.abort();
    this.#tell();
  }

  async #fetchAll(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        while (await this.#ask(0));
      }
    } finally {
      // In one go with the last look at `#again`: whoever comes now asks anew.
      this.#fetching = undefined;
    }
  }

  async #listen(): Promise<IntakeEnd> {
    try {
      // What waits already comes by itself, and is read once for whoever wants it.
      await this.catchUp();
      while (!this.#stop.signal.aborted) await this.#ask(WAIT_SECONDS);
      return "stopped";
    } catch (error) {
      if (this.#stop.signal.aborted) return "stopped";
      if (error instanceof HubError && error.code === "RUNTIME_SUPERSEDED") return "superseded";
      throw error;
    } finally {
      this.stop();
    }
  }

  /** Whether there is more at once. */
  async #ask(wait_seconds: number): Promise<boolean> {
    const { signal } = this.#stop;
    const [after_id, turn] = [this.#after_id, this.#turn];
    const turn_id = turn?.cut ? undefined : turn?.id;
    const heard = { ...this.#wanted, calls: this.#known_calls, ...(turn_id && { turn_id }) };
    const args = { fence: this.fence, after_id, wait_seconds, heard };
    const { events, has_more, calls = [], over, ...wanted } = await this.#port.call("runtime_next", args, { signal });
    await hit("consumer.after_inject", "runtime");
    const is_cut = over && turn && turn === this.#turn && !turn.cut;
    if (is_cut) {
      turn.cut = over.outcome;
      this.#waiting = [];
      this.#after_id = over.after_id;
    }
    // It was asked before the place was set back: between both is what is still to come.
    const is_ahead = Number(after_id) > Number(this.#after_id);
    // The hub gives nothing but what begins turns, and another question may have brought it already.
    const news = is_ahead ? [] : (events as Input[]).filter(({ id }) => Number(id) > Number(this.#after_id));
    this.#after_id = news.at(-1)?.id ?? this.#after_id;
    this.#waiting.push(...news);
    const called = calls.filter(({ id }) => !this.#known_calls.includes(id));
    this.#calls.push(...called);
    this.#known_calls = calls.map(({ id }) => id);
    const is_other = JSON.stringify(wanted) !== JSON.stringify(this.#wanted);
    this.#wanted = wanted;
    await hit("consumer.after_watermark", "runtime");
    if (news.length > 0 || called.length > 0 || is_other || is_cut) this.#tell();
    return has_more || is_ahead;
  }

  #tell(): void {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
