import { hit } from "../failpoints.ts";
import type { Intake, WaitingCall } from "./intake.ts";
import type { PolicyGate, Requested } from "./policy-gate.ts";
import type { RetryingPort } from "./port.ts";
import { type Found, failure, type Toolset } from "./toolset.ts";

interface Parts {
  port: RetryingPort;
  intake: Intake;
  gate: PolicyGate;
  tools: Toolset;
  signal: AbortSignal;
  report: (what: string, error?: unknown) => void;
}

/** So many are remembered; the hub gives none again that is older than half a minute. */
const MOST_KNOWN = 1000;

/**
 * What people call of the servers that are mounted here, beside what the model does. The policy decides about each, in
 * their name, and each is run once: as with every call, by whoever has claimed it.
 */
export class PeoplesCalls {
  readonly #parts: Parts;
  /** Taken already: what the hub says again changes nothing. */
  readonly #known = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Until nothing more comes. `left` is what an earlier runtime had taken, and a person decides or has decided. */
  async run(left: readonly Requested[]): Promise<void> {
    const { intake } = this.#parts;
    for (const asked of left) void this.#unlessFailed(asked.tool, () => this.#carryOut(asked));
    while (!intake.isOver) {
      for (const call of intake.takeCalls()) if (this.#isNew(call)) void this.#serve(call);
      await intake.changed();
    }
  }

  #isNew({ id }: WaitingCall): boolean {
    if (this.#known.has(id)) return false;
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return true;
  }

  #serve(call: WaitingCall): Promise<void> {
    return this.#unlessFailed(call.tool, async () => {
      const requested = await this.#take(call);
      if (requested) await this.#carryOut(requested);
    });
  }

  /** One that cannot be carried out keeps nothing else from it. */
  async #unlessFailed(tool: string, work: () => Promise<void>): Promise<void> {
    const { signal, report } = this.#parts;
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) report(`${tool}, which a person called, was not run to its end`, error);
    }
  }

  async #take({ id, server, tool }: WaitingCall): Promise<Requested | null> {
    const { port, intake, gate, signal } = this.#parts;
    const about = { fence: intake.fence, id, holder: gate.holder, ...this.#find(server, tool) };
    return (await port.call("runtime_take", about, { signal })).requested;
  }

  #find(server: string, tool: string) {
    const { tools } = this.#parts;
    const found = tools.find?.(server, tool) ?? NO_SERVERS;
    if ("code" in found) return { refused: found };
    const { mount = "", input_schema = {}, hints = [] } = tools.originOf({ ...found, arguments: "" }) ?? {};
    return { found: { ...found, mount, input_schema, hints: [...hints] } };
  }

  async #carryOut(asked: Requested): Promise<void> {
    const { gate, tools, signal } = this.#parts;
    const decided = await gate.settle(asked, signal);
    if (decided.decision !== "allow") return;
    const { call_id, tool, mount } = asked;
    await hit("tool.before_run", tool);
    const run = { call_id, tool, arguments: decided.arguments ?? "{}" };
    const result = await tools.call(run, { signal, turn_id: undefined, mount }).catch((error: unknown) => {
      signal.throwIfAborted();
      return failure("TOOL_FAILED", error instanceof Error ? error.message : String(error));
    });
    await hit("tool.after_run", tool);
    await gate.finish(asked.id, result);
  }
}

const NO_SERVERS: Found = {
  code: "UNKNOWN_SERVER",
  error: "No server is mounted there: its program brings its own. Nothing was run.",
};
