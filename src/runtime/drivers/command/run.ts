import { Lines } from "../../../local/lines.ts";
import { type Findings, objectIn } from "../../../runner/clients/index.ts";
import { unlessAborted } from "../../aborting.ts";
import { Throttled } from "../../throttled.ts";
import type { PermissionRequest, ProgramReport, Usage } from "../program.ts";
import { type ProgramCommand, ProgramProcess } from "../program-process.ts";
import { Silence, type SilenceLimits } from "../silence.ts";
import type { CommandDialect, Hearing } from "./dialect.ts";

const LONGEST_LINE = 8 * 1024 * 1024;
const LONGEST_LAST_WORDS = 64 * 1024;

export interface CommandLimits extends SilenceLimits {
  /** How long it may take to end once its turn has, or it is told to. */
  end_ms: number;
}

/** The client does not know the session that it was to go on with. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}

export interface RunParts {
  dialect: CommandDialect;
  command: ProgramCommand;
  limits: CommandLimits;
  /** What it was to go on with; null for a new one. */
  resumed: string | null;
  report: ProgramReport;
  /** What it has shown so far, whenever that is more. */
  noted: (so_far: { session_id: string | undefined; is_taken: boolean }) => void;
}

/** One process of a client, for one prompt: what it prints is reported, what it asks for is asked, and nothing is left of it. */
export class CommandRun implements Hearing {
  readonly #parts: RunParts;
  readonly #process: ProgramProcess;
  readonly #silence: Silence;
  readonly #findings: Findings = {};
  readonly #over: Promise<string>;
  readonly #gone = new AbortController();
  readonly #questions = new Map<string, AbortController>();
  readonly #turn = Promise.withResolvers<"ended">();
  #has_ended = false;
  #is_taken = false;
  #is_stopping = false;
  /** What its session has used in all, as it says. */
  total: Usage | undefined;

  static async start(parts: RunParts): Promise<CommandRun> {
    return new CommandRun(parts, await ProgramProcess.start(parts.command));
  }

  private constructor(parts: RunParts, program: ProgramProcess) {
    this.#parts = parts;
    this.#process = program;
    this.#silence = new Silence(parts.limits);
    const lines = new Lines((line) => this.#hear(line), LONGEST_LINE);
    program.stdout.on("data", (chunk: Buffer) => lines.write(chunk));
    this.#over = program.over.finally(() => this.#gone.abort());
  }

  get report(): ProgramReport {
    return this.#parts.report;
  }

  /** Throws for whatever is not a regular end of its turn. Nothing of it is left, however it ends. */
  async prompt(texts: readonly string[], signal: AbortSignal): Promise<void> {
    const { stdin } = this.#process;
    const { dialect } = this.#parts;
    const silence = this.#silence.watch();
    stdin.write(dialect.prompt(texts));
    if (!dialect.talks) stdin.end();
    try {
      await unlessAborted(Promise.race([this.#turn.promise, this.#over, silence.over]), signal);
      await this.#ends();
    } catch (error) {
      await this.#interrupt();
      throw error;
    } finally {
      silence.stop();
    }
    this.#check(await this.#over);
  }

  /** One that cannot be told to stop ends at once. */
  async #interrupt(): Promise<void> {
    const { talks } = this.#parts.dialect;
    this.#is_stopping = true;
    if (!talks) await this.#process.end();
    else if (!this.#gone.signal.aborted) this.#process.stdin.write(talks.interrupt);
    await this.#ends();
  }

  taken(): void {
    if (this.#is_taken) return;
    this.#is_taken = true;
    this.#note();
  }

  used(total: Usage): void {
    this.total = total;
  }

  asks(id: string, request: PermissionRequest): void {
    void this.#ask(id, request);
  }

  wantsMore(id: string): void {
    const { talks } = this.#parts.dialect;
    if (talks) this.#process.stdin.write(talks.refuse(id));
  }

  asksNoMore(id: string): void {
    this.#questions.get(id)?.abort();
  }

  ended(): void {
    this.#has_ended = true;
    this.#turn.resolve("ended");
  }

  #hear(line: string): void {
    const { dialect } = this.#parts;
    // All that counts by then is that it has stopped.
    if (this.#is_stopping && line.length > LONGEST_LAST_WORDS) return;
    const known = this.#findings.session_id;
    dialect.runner.read(this.#findings, line, { is_error: false, now: Date.now() });
    if (this.#findings.session_id !== known) this.#note();
    const message = objectIn(line);
    // What is no message does not count as a sign of life.
    if (typeof message?.type !== "string" || this.#isElsewhere) return;
    this.#silence.heard();
    dialect.hear(message, this);
  }

  /** A client may begin another session without a word: that one has not heard what was said before. */
  get #isElsewhere(): boolean {
    const { resumed } = this.#parts;
    const { session_id } = this.#findings;
    const elsewhere = resumed !== null && session_id !== undefined && session_id !== resumed;
    if (elsewhere) void this.#process.end();
    return elsewhere;
  }

  #note(): void {
    if (!this.#isElsewhere) this.#parts.noted({ session_id: this.#findings.session_id, is_taken: this.#is_taken });
  }

  async #ask(id: string, request: PermissionRequest): Promise<void> {
    const { report, dialect } = this.#parts;
    const ended = new AbortController();
    this.#questions.set(id, ended);
    const signal = AbortSignal.any([ended.signal, this.#gone.signal]);
    const decided = await this.#silence.excused(() => report.ask(request, signal));
    this.#questions.delete(id);
    if (!signal.aborted && dialect.talks) this.#process.stdin.write(dialect.talks.answer(id, request, decided));
  }

  /** By itself, if it can: it may have to write down what was said. */
  async #ends(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.#parts.limits.end_ms);
    if (this.#parts.dialect.talks) {
      // One that was interrupted says so before it is done.
      await Promise.race([this.#turn.promise, this.#over, late.promise]);
      this.#process.stdin.end();
    }
    await Promise.race([this.#over, late.promise]);
    clearTimeout(timer);
    await this.#process.end();
    await this.#over;
  }

  #check(over: string): void {
    const { dialect, resumed } = this.#parts;
    dialect.runner.read(this.#findings, this.#process.complaint, { is_error: true, now: Date.now() });
    const { session_lost, error, throttled_until } = this.#findings;
    if (resumed !== null && (session_lost || this.#isElsewhere)) throw new SessionLost(over);
    const says = `The program says: ${error}`;
    if (error !== undefined && throttled_until !== undefined) throw new Throttled(says, { until: throttled_until });
    if (error !== undefined) throw new Error(says);
    if (!this.#has_ended) throw new Error(over);
  }
}
