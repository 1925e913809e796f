import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { Ctx } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { hit } from "../failpoints.ts";
import { formatId } from "../ids.ts";
import { type Mask, maskOf, secretsIn } from "../local/secrets.ts";
import {
  type Claimed,
  type Ending,
  type Held,
  noteOutput,
  noteSession,
  record,
  started,
} from "../modules/runs/index.ts";
import { cut, storable } from "../text.ts";
import { Child, type Exit, NeverStarts, NotStarted } from "./child.ts";
import { dialectOf, type Findings } from "./clients/index.ts";
import type { Program } from "./definitions.ts";
import { Output } from "./output.ts";

/** How often what it has printed is stored, for whoever looks on. */
const SHOW_MS = 1000;
const RETRY_MS = 500;
const MOST_LAST_WORDS = 300;

/** Why an attempt ends before its program does. */
export type Interruption = "timeout" | "stopped" | "hub_stopped" | "given_up";

interface Parts {
  claimed: Claimed;
  program: Program;
  ctx: Ctx;
  home: string;
  /** What the program has of the hub's own environment. */
  env: Readonly<Record<string, string>>;
  grace_ms?: number | undefined;
  report: (message: string, error: unknown) => void;
}

/**
 * One attempt of a run, from the moment it is this node's: the process is started, its number stored, and when it is over
 * nothing of it is left and how it ended is recorded. Recorded is what the database still takes to be true: an attempt that
 * was given up meanwhile changes nothing.
 */
export class Attempt {
  readonly #parts: Parts;
  readonly #output: Output;
  readonly #mask: Mask;
  readonly #findings: Findings = {};
  readonly held: Held;
  #interruption: Interruption | undefined;
  #interrupt: () => void = () => {};
  /** What is stored on the way, in its order. */
  #noting: Promise<unknown> = Promise.resolve();
  #shown = -1;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { claimed, program, home } = parts;
    const { space_id, run, attempt } = claimed;
    this.held = { space_id, id: run.id, attempt };
    const secrets = [claimed.token, ...secretsIn(program.env)];
    const file = join(home, "runs", space_id, `${formatId(run.id)}.${attempt}.log`);
    this.#output = new Output(file, { secrets });
    this.#mask = maskOf(secrets);
  }

  get is_worker(): boolean {
    return this.#parts.claimed.run.kind === "worker";
  }

  /** Ends it from outside. Said again, the first reason stays. */
  interrupt(why: Interruption): void {
    this.#interruption ??= why;
    this.#interrupt();
  }

  async run(): Promise<void> {
    await this.#output.open();
    const interrupted = new Promise<void>((resolve) => {
      this.#interrupt = resolve;
    });
    if (this.#interruption) this.#interrupt();
    const timer = setTimeout(() => this.interrupt("timeout"), this.#parts.program.timeout_ms);
    const showing = setInterval(() => void this.#show(), SHOW_MS);
    let ending: Ending;
    try {
      ending = await this.#supervise(interrupted);
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error;
      ending = { outcome: error instanceof NeverStarts ? "failed" : "not_started", error: error.message };
    } finally {
      clearTimeout(timer);
      clearInterval(showing);
    }
    await this.#output.end();
    await this.#noting;
    await hit("run.before_record");
    if (this.#interruption === "given_up") return;
    const output = { bytes: this.#output.total, text: this.#output.tail() };
    await this.#untilStored(() => record(this.#parts.ctx, this.held, { ...ending, output }));
  }

  async #supervise(interrupted: Promise<void>): Promise<Ending> {
    const child = await this.#start();
    try {
      return await this.#watch(child, interrupted);
    } catch (error) {
      await child.end(0);
      throw error;
    }
  }

  async #watch(child: Child, interrupted: Promise<void>): Promise<Ending> {
    const { ctx, grace_ms } = this.#parts;
    await hit("run.after_spawn");
    const { pid, start: pid_start } = child;
    const ours = await this.#untilStored(() => started(ctx, this.held, { pid, pid_start }));
    if (!ours) this.interrupt("given_up");
    await Promise.race([child.exited, interrupted]);
    if (this.#interruption) await child.end(this.#interruption === "given_up" ? 0 : grace_ms);
    const exit = await child.exited;
    await child.clean();
    return this.#endingOf(exit);
  }

  #start(): Promise<Child> {
    const { claimed, program, ctx, env } = this.#parts;
    const { run, session_id, is_resumed, cookie, token } = claimed;
    const { kind, name, session_key, prompt } = run;
    const url = ctx.address();
    const dialect = dialectOf(program);
    const { launcher } = ctx.config;
    const start = { program, kind, name, session_key, prompt, session_id, is_resumed, url, launcher };
    const command = {
      argv: dialect.argv(start),
      cwd: program.cwd,
      env: {
        ...env,
        ...program.env,
        PARLEY_URL: url,
        PARLEY_TOKEN: token,
        PARLEY_SPACE: ctx.actor.space_id,
        PARLEY_CAUSE: formatId(run.id),
        ...(kind === "trigger" && { PARLEY_TRIGGER: name, PARLEY_TRIGGER_SESSION_KEY: session_key }),
        ...(kind === "worker" && { PARLEY_WORKER: name }),
        ...(session_id !== null && { [is_resumed ? "PARLEY_RESUME_SESSION_ID" : "PARLEY_NEW_SESSION_ID"]: session_id }),
      },
      input: prompt,
      cookie,
    };
    const online = (line: string, is_error: boolean): void => {
      dialect.read(this.#findings, line, { is_error, now: ctx.now() });
      this.#noteSession();
    };
    return Child.start(command, { output: this.#output, online });
  }

  /** As soon as it is known: a client that chooses its session itself says it first. */
  #noteSession(): void {
    const { session_id } = this.#findings;
    const { claimed, ctx } = this.#parts;
    if (session_id === undefined || session_id === claimed.session_id) return;
    claimed.session_id = session_id;
    this.#noting = this.#noting.then(() => this.#untilStored(() => noteSession(ctx, this.held, session_id)));
    // Seen once the program is over: until then nobody waits for it, and what nobody waits for would end the hub.
    this.#noting.catch(() => {});
  }

  #endingOf({ code, signal }: Exit): Ending {
    const how = { exit_code: code, signal };
    const { session_lost, cost_usd, throttled_until, error, deferred, nothing_deferred } = this.#findings;
    const why = this.#interruption;
    if (why === "timeout")
      return {
        outcome: "timeout",
        ...how,
        cost_usd,
        error: `It took longer than ${this.#parts.program.timeout_ms / 1000} s.`,
      };
    if (why === "stopped") return { outcome: "stopped", ...how, cost_usd, error: "It was stopped." };
    if (why !== undefined) return { outcome: "interrupted", ...how, cost_usd, error: "The hub was stopped." };
    const { approvals } = this.#parts.program;
    if (code === 0 && error === undefined)
      return { outcome: deferred && approvals ? "deferred" : "done", ...how, cost_usd };
    if (nothing_deferred && this.#parts.claimed.run.prompt === "")
      return { outcome: "not_deferred", ...how, error: "Its client had gone on already, or has no call that waits." };
    if (session_lost && this.#parts.claimed.is_resumed)
      return { outcome: "session_lost", ...how, error: "Its client does not know the session any more." };
    // In its client's words, which may repeat what it was given; its output has none of that.
    const words =
      error !== undefined
        ? storable(this.#mask(error))
        : this.#lastWords(signal ? `It was ended by ${signal}` : `It ended with exit code ${code}`);
    if (throttled_until !== undefined) return { outcome: "throttled", ...how, cost_usd, error: words, throttled_until };
    return { outcome: "failed", ...how, cost_usd, error: words };
  }

  /** What a program says last, it mostly says of its end: lists show this and not its output. */
  #lastWords(how: string): string {
    const said = stripVTControlCharacters(this.#output.tail()).trimEnd().split("\n").at(-1)?.trim();
    return said ? `${how}: ${cut(said, MOST_LAST_WORDS)}` : `${how}.`;
  }

  async #show(): Promise<void> {
    const bytes = this.#output.total;
    if (bytes === this.#shown) return;
    this.#shown = bytes;
    try {
      await noteOutput(this.#parts.ctx, this.held, { bytes, text: this.#output.tail() });
    } catch (error) {
      // The next time, or with the outcome.
      this.#parts.report("what a run has printed could not be stored", error);
    }
  }

  /** While the database is out of reach nothing is lost but time: the run is this node's until somebody says otherwise. */
  async #untilStored<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ParleyError && error.kind === "unavailable") || error.code === "SHUTTING_DOWN")
          throw error;
        this.#parts.report("what became of a run could not be stored yet", error);
        await pause(RETRY_MS);
      }
    }
  }
}
