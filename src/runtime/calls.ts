/** What a model calls in a turn: decided about, run, and told to the log. */
import { hit } from "../failpoints.ts";
import type { NewEvent } from "../modules/timeline/index.ts";
import { unlessAborted } from "./aborting.ts";
import type { ModelCall } from "./drivers/driver.ts";
import { TurnFailed } from "./failed.ts";
import type { Decision, Gate } from "./gate.ts";
import type { Intake } from "./intake.ts";
import { isSpeech, isYield, TOOLS_OFF } from "./speech.ts";
import { failure, keptOutput, type ToolResult, type Toolset } from "./toolset.ts";

/** Into the log of the hub. Gives those calls among them that the hub lets through. */
export type Recording = (events: NewEvent[], run_phase?: "sampling" | "tools_running" | "idle") => Promise<string[]>;

interface CallsParts {
  turn_id: string;
  intake: Intake;
  tools: Toolset;
  gate: Gate;
  /** The runtime is to stop. */
  stop: AbortSignal;
  /** What a person may want to know of it. */
  report: (what: string, error?: unknown) => void;
  /** Ends all of the turn. */
  abort: AbortSignal;
  /** The hub has ended the turn: its model is asked nothing more. */
  cut: AbortSignal;
  /** Either of them. */
  asking: AbortSignal;
  record: Recording;
  /** Looks at what people want. */
  look: () => void;
}

interface Told {
  outcome: ToolResult["outcome"] | "denied";
  output: string;
}

export class Calls {
  readonly #parts: CallsParts;
  /** What was called and is not over. */
  #running = 0;
  #has_yielded = false;
  /** What was called in a turn that was cut. */
  left: Promise<void> | undefined;

  constructor(parts: CallsParts) {
    this.#parts = parts;
  }

  /** All of one answer, which the log has already. Whether the turn was yielded by one of them. */
  async run(calls: readonly ModelCall[], allowed: readonly string[]): Promise<boolean> {
    const { abort, cut, asking } = this.#parts;
    // What else was called is over before the turn is.
    this.#running = calls.length;
    const [ending, others] = [calls.filter(isYield), calls.filter((call) => !isYield(call))];
    const run = (call: ModelCall, signal: AbortSignal): Promise<void> =>
      this.#run(call, { allowed: allowed.includes(call.call_id), signal });
    cut.throwIfAborted();
    await this.#unlessCut(others.map((call) => run(call, abort)));
    // It would end another turn than its own.
    cut.throwIfAborted();
    await Promise.all(ending.map((call) => run(call, asking)));
    return this.#has_yielded;
  }

  /** Until all are over. Those of a turn that was cut go on by themselves: a person may decide about one for days. */
  async #unlessCut(runs: readonly Promise<void>[]): Promise<void> {
    try {
      await unlessAborted(Promise.all(runs), this.#parts.cut);
    } finally {
      if (this.#parts.cut.aborted) this.left = Promise.allSettled(runs).then((ends) => this.#tellLeft(ends));
    }
  }

  /** A denial that ends its turn has none to end. */
  #tellLeft(ends: readonly PromiseSettledResult<void>[]): void {
    const { stop, report } = this.#parts;
    for (const one of ends)
      if (one.status === "rejected" && !(one.reason instanceof TurnFailed) && !stop.aborted)
        report("what was called in a turn that is over was not run to its end", one.reason);
  }

  async #run(call: ModelCall, { allowed, signal }: { allowed: boolean; signal: AbortSignal }): Promise<void> {
    const { gate, tools, intake, turn_id } = this.#parts;
    if (intake.wanted.tools_off && !isSpeech(call)) return this.#denied(call, TOOLS_OFF);
    const origin = tools.originOf(call);
    const decided = await gate.decide(call, { origin, allowed, turn_id, signal });
    // An abort takes back what waits, and may be heard of by that first.
    if (decided.decision !== "allow") await intake.catchUp();
    this.#parts.look();
    signal.throwIfAborted();
    if (decided.decision !== "allow") {
      // Of a turn that is over the hub has noted it.
      if (this.#parts.cut.aborted) return;
      return this.#denied(call, decided);
    }
    await hit("tool.before_run", call.tool);
    const run = { ...call, arguments: decided.arguments ?? call.arguments };
    const context = { signal, turn_id, mount: origin?.mount };
    const result = await unlessAborted(tools.call(run, context), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return failure("TOOL_FAILED", error instanceof Error ? error.message : String(error));
    });
    await hit("tool.after_run", call.tool);
    signal.throwIfAborted();
    await this.#output(call, result, decided.approval_id);
    if (isYield(call) && result.outcome === "done") this.#has_yielded = true;
  }

  async #denied(call: ModelCall, { decision, output }: Exclude<Decision, { decision: "allow" }>): Promise<void> {
    await this.#output(call, { outcome: "denied", output });
    if (decision === "deny_abort") throw new TurnFailed(`${call.tool} was denied, and with it the turn.`);
  }

  async #output(call: ModelCall, { outcome, output }: Told, approval_id?: string): Promise<void> {
    const told = { call_id: call.call_id, outcome, output: keptOutput(output), ...(approval_id && { approval_id }) };
    this.#running -= 1;
    const phase = this.#running === 0 ? "sampling" : undefined;
    await this.#parts.record([{ type: "ToolOutput", key: `${call.call_id}:output`, ...told }], phase);
  }
}
