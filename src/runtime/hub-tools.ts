import { HubError } from "../client/index.ts";
import type { ModelCall, ToolSpec } from "./drivers/driver.ts";
import type { HubTool, RetryingPort } from "./port.ts";
import {
  argumentsOf,
  type CallContext,
  failure,
  HUB,
  type Mounts,
  type Origin,
  type ToolResult,
  type Toolset,
} from "./toolset.ts";

/** What every agent has: its words to people, the end of its turn, and the rules it is under. */
const ALWAYS = ["chat-assistant", "loop"] as const;
export const DEFAULT_FACETS: readonly string[] = ["mail", "workspace", "questions", "tasks"];
/** What is for people: no agent is given it, whatever it asks for. */
const PEOPLES_FACETS: readonly string[] = ["chat-human", "approvals", "admin"];

/** Those that an agent has, of what is asked for. */
export const agentFacets = (facets: readonly string[] = DEFAULT_FACETS): string[] =>
  [...new Set([...ALWAYS, ...facets])].filter((facet) => !PEOPLES_FACETS.includes(facet));

const KEY = "idempotency_key";

interface Known {
  spec: ToolSpec;
  takes_key: boolean;
}

/** The hub's own tools, under their own names. A hub that goes away in the middle of a call is waited for. */
export class HubTools implements Toolset {
  readonly #port: RetryingPort;
  readonly #tools: ReadonlyMap<string, Known>;
  readonly #mounts: Mounts;

  static async open(port: RetryingPort, facets: readonly string[], signal: AbortSignal): Promise<HubTools> {
    const wanted = agentFacets(facets);
    const tools = await port.tools(wanted, signal);
    const servers = wanted.map((facet) => [facet === "chat-assistant" ? "chat" : facet, { state: "running" }] as const);
    return new HubTools(port, tools, Object.fromEntries(servers));
  }

  private constructor(port: RetryingPort, tools: readonly HubTool[], mounts: Mounts) {
    this.#port = port;
    this.#tools = new Map(tools.map((tool) => [tool.name, known(tool)]));
    this.#mounts = mounts;
  }

  list(): readonly ToolSpec[] {
    return [...this.#tools.values()].map(({ spec }) => spec);
  }

  originOf({ tool }: Pick<ModelCall, "tool">): Origin | undefined {
    const found = this.#tools.get(tool);
    return found && { server: HUB, mount: "", input_schema: found.spec.input_schema };
  }

  mounts(): Mounts {
    return this.#mounts;
  }

  takeChanges(): [] {
    return [];
  }

  async call(call: ModelCall, { signal, turn_id }: CallContext): Promise<ToolResult> {
    const { tool, call_id } = call;
    const found = this.#tools.get(tool);
    if (!found) return failure("UNKNOWN_TOOL", `There is no tool ${JSON.stringify(tool.slice(0, 80))}.`);
    const read = argumentsOf(call);
    if ("failed" in read) return read.failed;
    try {
      const key = found.takes_key ? call_id : undefined;
      const output = await this.#port.callByName(tool, read.args, { key, cause: turn_id, signal });
      return { outcome: "done", output: JSON.stringify(output) };
    } catch (error) {
      if (error instanceof HubError && !signal.aborted) return failure(error.code, error.message);
      throw error;
    }
  }
}

/** A call is done once whatever happens on the way; how that is, is no matter of the model's. */
function known({ name, description, input_schema }: HubTool): Known {
  const { properties, ...rest } = input_schema;
  const fields = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  const shown = Object.fromEntries(fields.filter(([field]) => field !== KEY));
  const spec = { name, description, input_schema: { ...rest, properties: shown } };
  return { spec, takes_key: fields.some(([field]) => field === KEY) };
}
