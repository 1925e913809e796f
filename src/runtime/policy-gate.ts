import { HubError } from "../client/index.ts";
import type { ToolTypes } from "../modules/index.ts";
import { currentName } from "../old-names.ts";
import type { ModelCall } from "./drivers/driver.ts";
import type { Asked, Decision, Gate } from "./gate.ts";
import type { RetryingPort } from "./port.ts";
import { argumentsOf, failure, HUB, keptOutput, type Origin, type ToolResult } from "./toolset.ts";

export type Requested = ToolTypes["approval_request"]["output"];

const WAIT_SECONDS = 25;
/** A denial that ends the turn. */
const ENDS_TURN = -32950;
/** What is wrong with the call itself: the model is told, and goes on. */
const CALLS_FAULT: readonly string[] = ["INVALID_ARGUMENT", "TOO_MANY_APPROVALS", "PAYLOAD_TOO_LARGE"];

/**
 * The space's policy decides about every call, of the hub's own tools as of other servers', and a person where that says
 * so: only what was claimed is run, as it was shown. What the hub has let through when the call was noted is not asked
 * about again: reading and speaking cost nothing more.
 */
export class PolicyGate implements Gate {
  readonly #port: RetryingPort;
  readonly #fence: number;
  /** Under which name it claims what is allowed. */
  readonly holder: string;

  readonly #stop: AbortSignal;

  constructor(port: RetryingPort, { fence, stop }: { fence: number; stop: AbortSignal }) {
    this.#port = port;
    this.#stop = stop;
    this.#fence = fence;
    this.holder = `runtime ${fence}`;
  }

  async decide(call: ModelCall, asked: Asked): Promise<Decision> {
    const { origin, allowed, signal } = asked;
    if (!origin || (origin.server === HUB && (allowed || isRefused(call)))) return { decision: "allow" };
    try {
      return await this.settle(await this.#ask(call, origin, asked), signal);
    } catch (error) {
      if (!(error instanceof HubError && CALLS_FAULT.includes(error.code))) throw error;
      return { decision: "deny_continue", output: failure(error.code, error.message).output };
    }
  }

  /** What becomes of a request, however long a person takes. Where its turn ends before, the hub takes it back. */
  async settle(asked: Requested, signal: AbortSignal): Promise<Decision> {
    const { id } = asked;
    let now = asked;
    while (now.state === "pending")
      now = await this.#port.call("approval_wait", { id, wait_seconds: WAIT_SECONDS }, { signal });
    if (now.state === "approved") now = await this.#claim(id, signal);
    if (now.state !== "executing" || now.holder !== this.holder) return deniedBy(now);
    return { decision: "allow", arguments: JSON.stringify(now.arguments), approval_id: id };
  }

  /** How a person's call ended: of those the log of the agent has no result but the hub's. */
  async finish(id: string, result: ToolResult): Promise<void> {
    const outcome = result.outcome === "done" ? "completed" : "failed";
    const ended = { id, holder: this.holder, outcome, output: keptOutput(result.output) } as const;
    await this.#port.call("approval_finish", ended, { signal: this.#stop });
  }

  #ask(call: ModelCall, { server, mount, input_schema, hints = [] }: Origin, asked: Asked): Promise<Requested> {
    const { call_id, arguments: text } = call;
    const tool = server === HUB ? currentName(call.tool) : call.tool;
    const args = text.trim() === "" ? "{}" : text;
    const held = { holder: this.holder, fence: this.#fence };
    const request = {
      key: call_id,
      call_id,
      server,
      mount,
      tool,
      arguments: args,
      input_schema,
      hints: [...hints],
      ...held,
    };
    const { turn_id, signal } = asked;
    return this.#port.call("approval_request", request, { cause: turn_id, signal });
  }

  #claim(id: string, signal: AbortSignal): Promise<Requested> {
    return this.#port.call("approval_claim", { id, holder: this.holder, fence: this.#fence }, { signal });
  }
}

/** The hub's own tools have these arguments against themselves, and say so better than a denial would. */
const isRefused = (call: ModelCall): boolean => "failed" in argumentsOf(call);

function deniedBy({ state, says, code }: Requested): Decision {
  const output = JSON.stringify({ error: says, code: code ?? state.toUpperCase() });
  return { decision: code === ENDS_TURN ? "deny_abort" : "deny_continue", output };
}
