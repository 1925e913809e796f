import { isJournalled } from "./journal.ts";
import type { PolicyGate, Requested } from "./policy-gate.ts";
import type { RetryingPort } from "./port.ts";
import { failure, keptOutput, type ToolResult, type Toolset } from "./toolset.ts";

interface Parts {
  port: RetryingPort;
  fence: number;
  gate: PolicyGate;
  tools: Toolset;
  signal: AbortSignal;
  report: (what: string, error?: unknown) => void;
}

/**
 * What an earlier runtime of the agent had asked for. Its turn is over; what a person decides since is done all the same,
 * and what comes of it is in the log at once, from which the next turn tells it. The hub itself notes what was not run, and
 * what the earlier one was running when it died, which is never run again.
 */
export class Leftovers {
  readonly #parts: Parts;
  /** What people had called of its servers, and is still to be run or decided: none of the model's business. */
  called: readonly Requested[] = [];

  static async open(parts: Parts): Promise<Leftovers> {
    const { port, fence, signal } = parts;
    const { open } = await port.call("approval_recover", { fence }, { signal });
    const leftovers = new Leftovers(parts);
    for (const asked of open.filter((asked) => isOfAgent(asked) && isOfRuntime(asked))) void leftovers.#see(asked);
    leftovers.called = open.filter((asked) => !isOfAgent(asked));
    return leftovers;
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  async #see(asked: Requested): Promise<void> {
    const { signal, report } = this.#parts;
    try {
      await this.#carryOut(asked);
    } catch (error) {
      if (!signal.aborted) report(`${asked.tool}, asked for earlier, was not run to its end`, error);
    }
  }

  async #carryOut(asked: Requested): Promise<void> {
    const { gate, tools, port, signal } = this.#parts;
    const { id, call_id, tool, mount } = asked;
    // The program that asked would have run it, and has ended with its runtime.
    if (asked.executes === "client") return void (await port.call("approval_withdraw", { id }, { signal }));
    const decided = await gate.settle(asked, signal);
    if (decided.decision !== "allow") return;
    const call = { call_id, tool, arguments: decided.arguments ?? "{}" };
    const result = await tools.call(call, { signal, turn_id: undefined, mount }).catch((error: unknown) => {
      signal.throwIfAborted();
      return failure("TOOL_FAILED", error instanceof Error ? error.message : String(error));
    });
    await this.#note(asked, result);
  }

  async #note({ id: approval_id, call_id, tool }: Requested, { outcome, output }: ToolResult): Promise<void> {
    const { port, fence, signal } = this.#parts;
    const told = { call_id, tool, outcome, output: keptOutput(output), approval_id };
    const events = [{ type: "ToolOutput", key: `${call_id}:output`, ...told } as const];
    await port.call("runtime_record", { fence, events }, { signal });
  }
}

/** A client that a person started, such as Claude Code, waits for its own: what becomes of that is not a runtime's business. */
const isOfRuntime = ({ executes, call_id }: Requested): boolean => executes === "runtime" || isJournalled(call_id);

const isOfAgent = ({ called_by }: Requested): boolean => called_by === null;
