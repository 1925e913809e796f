/**
 * An agent program that speaks the Agent Client Protocol on its standard input and output. What its session was given, and
 * whether it has shown that it has it, is kept as for a client: a session that goes on is told nothing twice.
 */
import { type Mask, maskOf, secretsIn } from "../../local/secrets.ts";
import { AcpConnection, type AcpLimits, type Servers } from "./acp-connection.ts";
import { briefing, newsFor } from "./briefing.ts";
import type { Assignment, ProgramDriver, ProgramReport } from "./program.ts";
import type { ProgramCommand } from "./program-process.ts";
import { beginning, isCurrent, type Session, type SessionStore } from "./sessions.ts";

const LIMITS: AcpLimits = {
  ...{ start_ms: 60_000, silence_ms: 1_800_000, cancel_ms: 3000 },
  now: () => performance.now(),
};

export interface AcpOptions {
  command: ProgramCommand;
  servers: Servers;
  sessions: SessionStore;
  limits?: Partial<AcpLimits>;
}

/** It is started for the first turn and kept for the next ones; one that has ended is started again. */
export class AcpDriver implements ProgramDriver {
  readonly name = "acp";
  readonly hub_server = "parley";
  readonly mask: Mask;
  readonly #options: AcpOptions;
  readonly #limits: AcpLimits;
  #connection: AcpConnection | undefined;
  #session: Session | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AcpOptions) {
    this.#options = options;
    this.mask = maskOf(secretsIn(options.command.given));
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** One at a time: what was aborted may still be ending. */
  work(assignment: Assignment, report: ProgramReport, signal: AbortSignal): Promise<void> {
    const work = this.#last.then(() => this.#work(assignment, report, signal));
    this.#last = work.catch(() => {});
    return work;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#connection?.close();
  }

  async #work(assignment: Assignment, report: ProgramReport, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { turn_id, news } = assignment;
    const { connection, session, is_fresh } = await this.#open(assignment, signal);
    signal.throwIfAborted();
    const texts = is_fresh ? briefing(assignment, true) : newsFor(session, assignment);
    const before = session.cost_usd;
    const given_id = news.at(-1)?.id ?? session.given_id;
    const now: Session = { ...session, turn_id, given_id, is_taken: false };
    // Before it is given anything, and as soon as it shows that it has it: whoever comes after a crash knows.
    this.#save(now);
    const taken = (): void => {
      if (now.is_taken) return;
      now.is_taken = true;
      this.#save(now);
    };
    const cost = (usd: number): void => {
      now.cost_usd = Math.max(now.cost_usd, usd);
    };
    try {
      await connection.prompt(texts, { report, cost, taken }, signal);
    } finally {
      // Of a turn that is over nothing more is counted: what it cost is a part of what the next one says.
      if (signal.aborted) now.cost_usd = before;
      this.#save(now);
      if (connection.isGone) this.#connection = undefined;
      report.spent({ cost_usd: now.cost_usd - before });
    }
  }

  /** With a session that knows what the log has, or a fresh one. */
  async #open({ answered_turn_id, token }: Assignment, signal: AbortSignal) {
    const { command, servers, sessions } = this.#options;
    const known = this.#session ?? sessions.read();
    const current = known?.is_taken && isCurrent(known, answered_turn_id) ? known : undefined;
    const live = this.#connection?.isGone ? undefined : this.#connection;
    if (live && current && live.session_id === current.session_id)
      return { connection: live, session: current, is_fresh: false };
    const connection = live ?? (await AcpConnection.open(command, this.#limits, signal));
    this.#connection = connection;
    const opening = { known: current?.session_id, cwd: command.cwd, servers, token };
    const goes_on = await connection.openSession(opening, signal).catch(async (error: unknown) => {
      await connection.close();
      this.#connection = undefined;
      throw error;
    });
    const session = goes_on && current ? current : beginning({ session_id: connection.session_id });
    return { connection, session, is_fresh: !goes_on };
  }

  #save(session: Session): void {
    this.#session = session;
    this.#options.sessions.write(session);
  }
}
