/**
 * An agent's client without a person, such as Claude Code or Codex: a process for each prompt, in one session that goes on.
 * What it was given, and whether it has shown that it has it, is kept before it is started and as soon as it shows: so
 * after a crash nothing is given to a session twice, and nothing is missing in one.
 */
import { randomUUID } from "node:crypto";
import { killAll } from "../../local/killing.ts";
import { type Mask, maskOf, secretsIn } from "../../local/secrets.ts";
import { briefing, newsFor } from "./briefing.ts";
import { claude } from "./command/claude.ts";
import { codex } from "./command/codex.ts";
import type { CommandDialect } from "./command/dialect.ts";
import { type CommandLimits, CommandRun, SessionLost } from "./command/run.ts";
import type { Assignment, ProgramDriver, ProgramReport, Usage } from "./program.ts";
import { newCookie, type ProgramCommand } from "./program-process.ts";
import { beginning, isCurrent, type Session, type SessionStore } from "./sessions.ts";
import { costOf, type Price } from "./telling.ts";

const DIALECTS: Record<CommandClient, CommandDialect> = { claude, codex };
const LIMITS: CommandLimits = { silence_ms: 1_800_000, end_ms: 3000, now: () => performance.now() };

export type CommandClient = "claude" | "codex";

export interface CommandOptions {
  client: CommandClient;
  command: ProgramCommand;
  /** The hub's own tools. */
  hub: { url: string; space: string | undefined };
  sessions: SessionStore;
  /** For a client that does not say what it costs. */
  price?: Price | undefined;
  limits?: Partial<CommandLimits>;
}

export class CommandDriver implements ProgramDriver {
  readonly name = "command";
  readonly mask: Mask;
  readonly #options: CommandOptions;
  readonly #dialect: CommandDialect;
  readonly #limits: CommandLimits;
  #session: Session | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CommandOptions) {
    this.#options = options;
    this.mask = maskOf(secretsIn(options.command.given));
    this.#dialect = DIALECTS[options.client];
    this.#limits = { ...LIMITS, ...options.limits };
  }

  get hub_server(): string {
    return this.#dialect.hub_server;
  }

  /** One at a time: what was aborted may still be ending. */
  work(assignment: Assignment, report: ProgramReport, signal: AbortSignal): Promise<void> {
    const work = this.#last.then(() => this.#work(assignment, report, signal));
    this.#last = work.catch(() => {});
    return work;
  }

  async close(): Promise<void> {
    await this.#last;
  }

  async #work(assignment: Assignment, report: ProgramReport, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const known = await this.#known();
    const current = known?.is_taken && isCurrent(known, assignment.answered_turn_id) ? known : undefined;
    try {
      await this.#run({ assignment, report, signal, session: current });
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      await this.#run({ assignment, report, signal, session: undefined });
    }
  }

  /** Of the runtime before this one nothing is left running in the same session. */
  async #known(): Promise<Session | undefined> {
    if (this.#session) return this.#session;
    const known = this.#options.sessions.read();
    if (known?.cookie) await killAll({ cookie: known.cookie });
    return known;
  }

  async #run({ assignment, report, signal, session }: Running): Promise<void> {
    const { turn_id, news } = assignment;
    const { command, sessions } = this.#options;
    const cookie = newCookie(command.mark);
    const before = session ?? beginning({ session_id: this.#dialect.runner.chooses_session ? randomUUID() : "" });
    const given_id = news.at(-1)?.id ?? before.given_id;
    let now: Session = { ...before, turn_id, given_id, is_taken: false, cookie };
    const save = (more: Partial<Session>): void => {
      now = { ...now, ...more };
      this.#session = now;
      // Whoever took this one's place has written there what counts.
      if (sessions.read()?.cookie === cookie) sessions.write(now);
    };
    sessions.write(now);
    const run = await CommandRun.start({
      ...{ dialect: this.#dialect, limits: this.#limits, report, resumed: session?.session_id ?? null },
      command: { ...command, ...this.#startOf(now, assignment.token, session !== undefined), cookie },
      noted: ({ session_id, is_taken }) => save({ ...(session_id && { session_id }), is_taken }),
    });
    try {
      await run.prompt(session ? newsFor(session, assignment) : briefing(assignment, true), signal);
    } finally {
      // Of a turn that is over nothing more is counted: what it used is a part of what the next one says.
      const total = signal.aborted ? undefined : run.total;
      if (total) report.spent(this.#since(before, total));
      save({ ...total, cookie: "" });
    }
  }

  #startOf(session: Session, token: string, is_resumed: boolean): Pick<ProgramCommand, "argv" | "env"> {
    const { command, hub } = this.#options;
    const { turn_id } = session;
    const env = {
      ...command.env,
      ...{ PARLEY_URL: new URL("/", hub.url).origin, PARLEY_TOKEN: token, PARLEY_CAUSE: turn_id },
      ...(hub.space && { PARLEY_SPACE: hub.space }),
    };
    const headers = { "X-Parley-Cause": turn_id, ...(hub.space && { "X-Session-ID": hub.space }) };
    const session_id = session.session_id || null;
    return {
      argv: this.#dialect.argv({ argv: command.argv, session_id, is_resumed, url: hub.url, headers, env }),
      env,
    };
  }

  #since(before: Session, total: Usage): Usage {
    const { cost_usd, input_tokens = 0, output_tokens = 0 } = total;
    const tokens = {
      input_tokens: grown(before.input_tokens, input_tokens),
      output_tokens: grown(before.output_tokens, output_tokens),
    };
    if (cost_usd !== undefined) return { ...tokens, cost_usd: grown(before.cost_usd, cost_usd) };
    return { ...tokens, cost_usd: costOf(this.#options.price, tokens.input_tokens, tokens.output_tokens) };
  }
}

interface Running {
  assignment: Assignment;
  report: ProgramReport;
  signal: AbortSignal;
  /** What it goes on with. */
  session: Session | undefined;
}

/** One that counts from the beginning again has used what it says. */
const grown = (before: number, now: number): number => (now >= before ? now - before : now);
