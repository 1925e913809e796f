import { setTimeout as pause } from "node:timers/promises";
import { Backoff, PACE, type Pace } from "../client/backoff.ts";
import { HubError } from "../client/index.ts";
import type { ToolTypes } from "../modules/index.ts";

export type ToolName = keyof ToolTypes;

export interface PortOptions {
  /** The same key never does it twice. */
  key?: string | undefined;
  /** The id of what led to it. */
  cause?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface HubTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

/** A runtime's way to the hub, as the agent: over HTTP, or in the hub's own process. Both throw `HubError`. */
export interface HubPort {
  call(name: string, args: object, options?: PortOptions): Promise<object>;
  /** The tools of these facets that the agent may use. */
  tools(facets: readonly string[]): Promise<HubTool[]>;
}

/** Longer and longer pauses, up to a few seconds: a person may be waiting for an answer. */
const RUNTIME_PACE: Pace = { ...PACE, most_ms: 5000 };

interface Patience {
  pace?: Pace;
  /** Told when the hub is away, and when it is there again. */
  onState?: (state: { away: HubError | undefined }) => void;
}

/**
 * The same, and a hub that is away is waited for, however long that takes. So it is only for what may be asked twice:
 * reads, and what has a key of its own.
 */
export class RetryingPort {
  readonly #port: HubPort;
  readonly #pace: Pace;
  readonly #onState: NonNullable<Patience["onState"]>;

  constructor(port: HubPort, { pace = RUNTIME_PACE, onState = () => {} }: Patience = {}) {
    this.#port = port;
    this.#pace = pace;
    this.#onState = onState;
  }

  async call<N extends ToolName>(
    name: N,
    args: ToolTypes[N]["input"],
    options: PortOptions = {},
  ): Promise<ToolTypes[N]["output"]> {
    // The hub has checked its own output against the schema that this type is of.
    return (await this.callByName(name, args, options)) as ToolTypes[N]["output"];
  }

  callByName(name: string, args: object, options: PortOptions = {}): Promise<object> {
    return this.#untilThere(() => this.#port.call(name, args, options), options.signal);
  }

  tools(facets: readonly string[], signal?: AbortSignal): Promise<HubTool[]> {
    return this.#untilThere(() => this.#port.tools(facets), signal);
  }

  async #untilThere<T>(ask: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const backoff = new Backoff(this.#pace);
    for (let away = false; ; away = true)
      try {
        signal?.throwIfAborted();
        const answer = await ask();
        if (away) this.#onState({ away: undefined });
        return answer;
      } catch (error) {
        if (!(error instanceof HubError && error.passing) || signal?.aborted) throw error;
        if (!away) this.#onState({ away: error });
        await pause(backoff.next(), undefined, signal && { signal });
      }
  }
}
