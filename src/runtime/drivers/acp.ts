/** An agent program that speaks the Agent Client Protocol on its standard input and output. */
import { AcpConnection, type AcpLimits, type Servers } from "./acp-connection.ts";
import { briefing } from "./briefing.ts";
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
  readonly #options: AcpOptions;
  readonly #limits: AcpLimits;
  #connection: AcpConnection | undefined;
  #session: Session | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AcpOptions) {
    this.#options = options;
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
    const { connection, session, is_fresh } = await this.#open(assignment, signal);
    signal.throwIfAborted();
    const before = session.cost_usd;
    const cost = (usd: number): void => {
      session.cost_usd = Math.max(session.cost_usd, usd);
    };
    this.#save({ ...session, turn_id: assignment.turn_id });
    try {
      await connection.prompt(briefing(assignment, is_fresh), { report, cost }, signal);
    } finally {
      // Of a turn that is over nothing more is counted: what it cost is a part of what the next one says.
      const cost_usd = signal.aborted ? before : session.cost_usd;
      this.#save({ ...session, cost_usd, turn_id: assignment.turn_id });
      if (connection.isGone) this.#connection = undefined;
      report.spent({ cost_usd: cost_usd - before });
    }
  }

  /** With a session that knows what the log has, or a fresh one. */
  async #open({ answered_turn_id, token }: Assignment, signal: AbortSignal) {
    const { command, servers, sessions } = this.#options;
    const known = this.#session ?? sessions.read();
    const current = known && isCurrent(known, answered_turn_id) ? known : undefined;
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
    const cost_usd = goes_on ? (current?.cost_usd ?? 0) : 0;
    return { connection, session: beginning({ session_id: connection.session_id, cost_usd }), is_fresh: !goes_on };
  }

  #save(session: Session): void {
    this.#session = session;
    this.#options.sessions.write(session);
  }
}
