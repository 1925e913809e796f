import { isJournalled } from "./journal.ts";
import type { PolicyGate, Requested } from "./policy-gate.ts";
import type { RetryingPort } from "./port.ts";
import type { Toolset } from "./toolset.ts";

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
 * and told in the next turn. What that one was running when it died is never run again.
 */
export class Leftovers {
  readonly #parts: Parts;
  #told: string[] = [];
  /** What people had called of its servers, and is still to be run or decided: none of the model's business. */
  called: readonly Requested[] = [];

  static async open(parts: Parts): Promise<Leftovers> {
    const { port, fence, signal } = parts;
    const { unknown, open } = await port.call("approval_recover", { fence }, { signal });
    const leftovers = new Leftovers(parts);
    for (const asked of unknown.filter(isOfAgent)) leftovers.#tell(asked, asked.says);
    for (const asked of open.filter((asked) => isOfAgent(asked) && isOfRuntime(asked))) void leftovers.#see(asked);
    leftovers.called = open.filter((asked) => !isOfAgent(asked));
    return leftovers;
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What is to be told of them since this was last asked. */
  take(): string[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  async #see(asked: Requested): Promise<void> {
    const { signal, report } = this.#parts;
    try {
      this.#tell(asked, await this.#outcomeOf(asked));
    } catch (error) {
      if (!signal.aborted) report(`${asked.tool}, asked for earlier, was not run`, error);
    }
  }

  async #outcomeOf(asked: Requested): Promise<string> {
    const { gate, tools, port, signal } = this.#parts;
    // The program that asked would have run it, and has ended with its runtime.
    if (asked.executes === "client") return (await port.call("approval_withdraw", { id: asked.id }, { signal })).says;
    const decided = await gate.settle(asked, signal);
    if (decided.decision !== "allow") return decided.output;
    const { call_id, tool, mount } = asked;
    const call = { call_id, tool, arguments: decided.arguments ?? "{}" };
    const { outcome, output } = await tools.call(call, { signal, turn_id: undefined, mount });
    await decided.finished?.({ outcome, output });
    return output;
  }

  #tell({ tool, call_id }: Requested, what: string): void {
    this.#told.push(`What came of ${tool} (${call_id}) since:\n${what}`);
  }
}

/** A client that a person started, such as Claude Code, waits for its own: what becomes of that is not a runtime's business. */
const isOfRuntime = ({ executes, call_id }: Requested): boolean => executes === "runtime" || isJournalled(call_id);

const isOfAgent = ({ called_by }: Requested): boolean => called_by === null;
