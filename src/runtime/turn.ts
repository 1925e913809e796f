import { HubError } from "../client/index.ts";
import type { Mask } from "../local/secrets.ts";
import type { LogEvent, NewEvent } from "../modules/timeline/index.ts";
import { unlessAborted } from "./aborting.ts";
import { batches, notable } from "./answer.ts";
import { Calls, type Recording } from "./calls.ts";
import type { Answer, Driver, ModelCall } from "./drivers/driver.ts";
import { isProgram, type ProgramDriver } from "./drivers/program.ts";
import { TurnFailed } from "./failed.ts";
import type { Gate } from "./gate.ts";
import { historyOf, toldOf } from "./history.ts";
import type { Intake } from "./intake.ts";
import { hasEnded, Journal } from "./journal.ts";
import { readLog } from "./log.ts";
import { notificationOf } from "./notifications.ts";
import type { RetryingPort } from "./port.ts";
import { programPrompt, systemPrompt } from "./prompt.ts";
import { PuttingOff } from "./putting-off.ts";
import { Spending } from "./spending.ts";
import { Throttled } from "./throttled.ts";
import type { Toolset } from "./toolset.ts";

/** So often in a row a model is told that plain text is shown to nobody. */
const MOST_REDIRECTS = 3;
const MOST_SAMPLES = 200;
const MOST_OUTPUT = 500_000;

export interface TurnParts {
  /** As whom its model is told that it acts. */
  known_as: string;
  port: RetryingPort;
  intake: Intake;
  driver: Driver | ProgramDriver;
  tools: Toolset;
  gate: Gate;
  /** The runtime is to stop. */
  stop: AbortSignal;
  /** What a person may want to know of it. */
  report: (what: string, error?: unknown) => void;
}

/** What no further turn would meet differently, or is no longer this runtime's to end. */
const ENDS_ALL: readonly string[] = [
  ...["RUNTIME_SUPERSEDED", "TURN_OVER", "UNAUTHENTICATED", "FORBIDDEN"],
  ...["AGENT_NOT_FOUND", "SESSION_NOT_FOUND", "SESSION_EXPIRED"],
];

/** How a turn ended; undefined where it did not: the runtime is over, and whoever comes next sees to it. */
type Ending = { outcome: "finished" | "failed" | "aborted"; error?: string } | undefined;

/**
 * One turn of an agent: its model is asked, what it calls is run, and it is asked again, until it yields. Everything is in
 * the log before it has an effect, so whoever goes on after a crash knows what was called, and runs nothing twice.
 */
export class Turn {
  readonly #parts: TurnParts;
  readonly #id: string;
  /** What the model is told is made of it. */
  #log: LogEvent[] = [];
  #samples = 0;
  #redirects = 0;
  #notifications = 0;
  readonly #off: PuttingOff;
  #has_yielded = false;
  /** Ends all of it. */
  readonly #abort = new AbortController();
  /** The hub has ended the turn: its model is asked nothing more. */
  readonly #cut = new AbortController();
  readonly #asking = AbortSignal.any([this.#abort.signal, this.#cut.signal]);
  readonly #calls: Calls;
  readonly #spending = new Spending();

  /** `nth` of this runtime's turns. */
  static async begin(parts: TurnParts, nth: number): Promise<Turn> {
    const { port, intake, stop } = parts;
    const key = `turn:${intake.fence}:${nth}`;
    const events = [{ type: "TurnStarted", key } as const];
    const args = { fence: intake.fence, run_phase: "sampling", events } as const;
    const { ids } = await port.call("runtime_record", args, { signal: stop });
    const [id = ""] = ids;
    intake.enter(id);
    return new Turn(parts, id);
  }

  private constructor(parts: TurnParts, id: string) {
    this.#parts = parts;
    this.#off = new PuttingOff(parts.port);
    this.#id = id;
    const record: Recording = (events, run_phase) => this.#record(events, run_phase);
    const signals = { abort: this.#abort.signal, cut: this.#cut.signal, asking: this.#asking };
    this.#calls = new Calls({ ...parts, ...signals, turn_id: id, record, look: () => this.#look() });
  }

  async run(): Promise<void> {
    const { intake, stop } = this.#parts;
    const stopped = (): void => this.#abort.abort();
    stop.addEventListener("abort", stopped);
    const watching = this.#watch();
    const end = async (): Promise<void> => {
      stop.removeEventListener("abort", stopped);
      this.#abort.abort();
      intake.nudge();
      await watching;
    };
    try {
      await this.#end(await this.#work());
    } catch (error) {
      // Somebody else has ended it: what this one knew of it is void, and what it had taken in is asked for again.
      if (!(error instanceof HubError && error.code === "TURN_OVER")) throw error;
      await intake.catchUp();
    } finally {
      intake.leave();
      if (this.#calls.left) void this.#calls.left.then(end);
      else await end();
    }
  }

  /** Looks at what people want, for as long as it runs. */
  async #watch(): Promise<void> {
    const { intake } = this.#parts;
    while (!this.#abort.signal.aborted) {
      this.#look();
      if (!this.#abort.signal.aborted) await intake.changed();
    }
  }

  #look(): void {
    const { intake } = this.#parts;
    const cut = intake.cutOf(this.#id);
    if (intake.isOver || this.#isAborted) this.#abort.abort();
    else if (cut) (cut === "interrupted" ? this.#cut : this.#abort).abort();
  }

  get #isAborted(): boolean {
    return this.#parts.intake.wanted.abort_turn_id === this.#id;
  }

  async #work(): Promise<Ending> {
    const { signal } = this.#abort;
    try {
      this.#log = await readLog(this.#parts.port, this.#asking);
      while (!this.#has_yielded) await this.#step();
      return { outcome: "finished" };
    } catch (error) {
      if (this.#cut.signal.aborted) return undefined;
      if (signal.aborted) return this.#parts.intake.isOver ? undefined : { outcome: "aborted" };
      if (error instanceof TurnFailed) return { outcome: "failed", error: error.message };
      if (error instanceof HubError && ENDS_ALL.includes(error.code)) throw error;
      return { outcome: "failed", error: error instanceof Error ? error.message : String(error) };
    }
  }

  async #step(): Promise<void> {
    const { intake } = this.#parts;
    const signal = this.#asking;
    // Before what people said is taken: what is put into the log meanwhile comes before it, and would count as seen.
    await this.#tellChanges();
    await intake.catchUp();
    while (intake.wanted.paused && !signal.aborted) {
      await intake.changed();
      await intake.catchUp();
    }
    this.#look();
    // What comes once more is the next one's.
    this.#cut.signal.throwIfAborted();
    this.#takeIn(intake.take());
    signal.throwIfAborted();
    if (this.#samples >= MOST_SAMPLES) throw new TurnFailed(`The turn did not end in ${MOST_SAMPLES} answers.`);
    const seen_id = this.#log.reduce((newest, { id }) => (Number(id) > Number(newest) ? id : newest), this.#id);
    try {
      await this.#answer(seen_id);
    } catch (error) {
      const turn = { fence: intake.fence, turn_id: this.#id, signal };
      if (!(error instanceof Throttled && (await this.#off.meets(error, turn)))) throw error;
    }
  }

  async #answer(seen_id: string): Promise<void> {
    const { driver } = this.#parts;
    if (isProgram(driver)) return this.#hand(driver, seen_id);
    const answer = await this.#sample(driver);
    await this.#take(answer, { seen_id, sample: this.#samples });
    this.#samples += 1;
  }

  #takeIn(inputs: readonly LogEvent[]): void {
    const known = new Set(this.#log.map(({ id }) => id));
    // In the order of the log, as whoever reads it after a restart has it.
    this.#log.push(...inputs.filter(({ id }) => !known.has(id)));
    this.#log.sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** What other servers told of, in one message. */
  async #tellChanges(): Promise<void> {
    const told = notificationOf(this.#parts.tools.takeChanges());
    if (told === undefined) return;
    this.#notifications += 1;
    const text = told.slice(0, MOST_OUTPUT).toWellFormed();
    await this.#record([{ type: "Notification", key: `${this.#id}:note:${this.#notifications}`, text }]);
  }

  async #sample(driver: Driver): Promise<Answer> {
    const { tools, known_as } = this.#parts;
    const signal = this.#asking;
    const request = { system: systemPrompt(known_as), ...historyOf(this.#log, this.#id), tools: tools.list() };
    const answer = await unlessAborted(driver.sample(request, signal), signal);
    this.#spending.add(answer);
    return notable(answer);
  }

  /** A program does itself what a model and its tools do here, and the turn is what it tells of that. */
  async #hand(driver: ProgramDriver, seen_id: string): Promise<void> {
    const { known_as, port, intake } = this.#parts;
    if (intake.wanted.tools_off)
      throw new TurnFailed("Its tools are off, and a program has its own: let it use them with agent_tools.");
    const answered_turn_id = this.#log.findLast(isAnswer)?.turn_id ?? null;
    const told = { system: programPrompt(known_as, driver.hub_server), ...toldOf(this.#log, this.#id) };
    const record = async (events: NewEvent[]): Promise<void> => void (await this.#record(events));
    const at = { turn_id: this.#id, seen_id, sample: this.#samples };
    const { mask } = driver;
    const journal = new Journal({ ...at, port, record, spending: this.#spending, mask, signal: this.#asking });
    try {
      const assignment = { ...told, turn_id: this.#id, answered_turn_id, token: intake.token ?? "" };
      await unlessAborted(driver.work(assignment, journal, journal.signal), this.#asking);
    } catch (error) {
      await journal.end({ redirected: false, is_put_off: error instanceof Throttled });
      this.#samples = journal.samples;
      throw journal.failure ?? discreet(error, mask);
    }
    const has_ended = await hasEnded(port, this.#id, this.#asking);
    await journal.end({ redirected: !has_ended });
    if (journal.failure) throw journal.failure;
    this.#samples = journal.samples;
    this.#redirects = has_ended ? 0 : this.#redirects + 1;
    if (this.#redirects > MOST_REDIRECTS)
      throw new TurnFailed(`The program ended ${this.#redirects} times without a post and without a yield.`);
    this.#has_yielded = has_ended;
  }

  async #take({ text, calls: called }: Answer, at: { seen_id: string; sample: number }): Promise<void> {
    const prefix = `${this.#id}-${at.sample}`;
    const calls = called.map((call, n): ModelCall => ({ ...call, call_id: `${prefix}-${n}` }));
    const redirected = calls.length === 0;
    this.#redirects = redirected ? this.#redirects + 1 : 0;
    const texts = redirected || text ? [textOf({ key: `${prefix}-text`, ...at, text: text ?? "", redirected })] : [];
    const news = calls.map((call) => ({ type: "ToolCall", key: call.call_id, ...at, ...call }) as const);
    const phase = redirected ? "sampling" : "tools_running";
    const allowed: string[] = [];
    // However many there are: before all of them are in the log nothing is run.
    for (const some of batches([...texts, ...news])) allowed.push(...(await this.#record(some, phase)));
    if (this.#redirects > MOST_REDIRECTS)
      throw new TurnFailed(`The model answered ${this.#redirects} times with plain text, which is shown to nobody.`);
    const has_yielded = await this.#calls.run(calls, allowed);
    this.#has_yielded ||= has_yielded;
  }

  /** In the log of the hub first, then in ours. Gives those calls among them that the hub lets through. */
  async #record(events: NewEvent[], run_phase?: "sampling" | "tools_running" | "idle"): Promise<string[]> {
    const { port, intake, stop } = this.#parts;
    const told = { fence: intake.fence, turn_id: this.#id, ...(run_phase && { run_phase }) };
    const { ids, allowed } = await this.#spending.saidWith(events, (events) =>
      port.call("runtime_record", { ...told, events }, { signal: stop }),
    );
    // The hub gives back what it was given, with an id each.
    const news = events.map(({ key: _, ...event }, at) => ({ ...event, id: ids[at], turn_id: this.#id }) as LogEvent);
    this.#log.push(...news);
    return allowed;
  }

  async #end(ending: Ending): Promise<void> {
    if (!ending) return;
    const { outcome, error } = ending;
    const seen_id = this.#seen(outcome);
    const event = { type: "TurnEnded", key: `${this.#id}:end`, outcome, seen_id } as const;
    const told = error === undefined ? event : { ...event, error: error.slice(0, 2000).toWellFormed() };
    await this.#record([told], "idle");
  }

  /** A turn that failed or was aborted is not begun again for the same: what it was given is taken. */
  #seen(outcome: "finished" | "failed" | "aborted"): string | null {
    if (outcome === "finished") return null;
    return this.#log.findLast(({ type }) => type === "UserText" || type === "Resumed")?.id ?? null;
  }
}

/** The same, in words that anybody may read. */
function discreet(error: unknown, mask: Mask): unknown {
  if (!(error instanceof Error) || mask(error.message) === error.message) return error;
  const message = mask(error.message);
  if (error instanceof Throttled) return new Throttled(message, { until: error.until });
  return new Error(message);
}

const textOf = (fields: Omit<Extract<NewEvent, { type: "ModelText" }>, "type">): NewEvent => ({
  type: "ModelText",
  ...fields,
});

const isAnswer = ({ type }: LogEvent): boolean => type === "ModelText" || type === "ToolCall";
