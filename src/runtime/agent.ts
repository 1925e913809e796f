import { HubError } from "../client/index.ts";
import { V1Tools } from "./compat.ts";
import type { Driver } from "./drivers/driver.ts";
import { isProgram, type ProgramDriver } from "./drivers/program.ts";
import { DEFAULT_FACETS, HubTools } from "./hub-tools.ts";
import { Intake, type IntakeEnd } from "./intake.ts";
import { Leftovers } from "./leftovers.ts";
import { PeoplesCalls } from "./peoples-calls.ts";
import { PolicyGate } from "./policy-gate.ts";
import { type HubPort, RetryingPort } from "./port.ts";
import { ResourceTools } from "./resource-tools.ts";
import type { Toolset } from "./toolset.ts";
import { Turn } from "./turn.ts";

/** For how long a runtime that stops tries to say so. */
const GOODBYE_MS = 2000;
/** What a runtime is told of which another has taken the place. */
const REPLACED: readonly string[] = ["RUNTIME_SUPERSEDED", "LEASE_LOST"];

export interface AgentOptions {
  port: HubPort;
  driver: Driver | ProgramDriver;
  facets?: readonly string[];
  /** Whose quota its turns use. */
  account?: string | undefined;
  /** Further tools, around those of the hub; `changed` when the servers they come from are others. */
  around?: (tools: Toolset, changed: () => void) => Toolset | Promise<Toolset>;
  /** The tools of before: `v1`. */
  compat?: "v1" | undefined;
  signal: AbortSignal;
  pace?: { first_ms: number; most_ms: number };
  /** It hears what is said from now on. */
  ready?: () => void;
  /** What a person may want to know of it. */
  report?: (what: string, error?: unknown) => void;
}

/** Runs an agent until it is stopped, or until another runtime takes its place. */
export async function runAgent(options: AgentOptions): Promise<IntakeEnd> {
  try {
    return await run(options);
  } finally {
    if (isProgram(options.driver)) await options.driver.close();
  }
}

async function run(options: AgentOptions): Promise<IntakeEnd> {
  const { port, driver, account, signal, pace, report = () => {} } = options;
  const readiness = new Readiness();
  const onState = ({ away }: { away: HubError | undefined }): void => {
    report(away ? "the hub is away" : "the hub is there again", away);
    // A hub that had not heard of it for a while takes it for failed.
    if (!away) readiness.changed();
  };
  const retrying = new RetryingPort(port, { onState, ...(pace && { pace }) });
  const intake = await Intake.open(retrying, { driver: driver.name, with_token: isProgram(driver), account, signal });
  try {
    return await serve({ ...options, report, retrying, intake, readiness });
  } catch (error) {
    // Another took its place, or it was stopped, while it started: what it was at has failed by that alone.
    if (intake.isOver || (error instanceof HubError && REPLACED.includes(error.code))) return await intake.over;
    throw error;
  } finally {
    intake.stop();
    await goodbye(port, intake.fence);
  }
}

interface Serving extends AgentOptions {
  report: NonNullable<AgentOptions["report"]>;
  retrying: RetryingPort;
  intake: Intake;
  readiness: Readiness;
}

async function serve({ readiness, ...options }: Serving): Promise<IntakeEnd> {
  const { port, retrying, intake, facets = DEFAULT_FACETS, signal, report } = options;
  const hubTools = await HubTools.open(retrying, facets, signal);
  const all: Toolset = (await options.around?.(hubTools, () => readiness.changed())) ?? hubTools;
  const { fence } = intake;
  const withResources = all.resources ? new ResourceTools(all, all.resources, { port: retrying, fence }) : all;
  all.resources?.restore(intake.subscriptions.filter(({ pinned }) => !pinned));
  const tools = options.compat === "v1" ? new V1Tools(withResources) : withResources;
  const ready = () => {
    const subscriptions = all.resources?.followed() ?? [];
    return { fence, lifecycle: "ready", mounts: tools.mounts(), subscriptions } as const;
  };
  const gate = new PolicyGate(retrying, { fence, stop: signal });
  const leftovers = await Leftovers.open({ port: retrying, fence, gate, tools, signal, report });
  const calls = new PeoplesCalls({ port: retrying, intake, gate, tools: all, signal, report });
  await intake.catchUp();
  await readiness.begin(
    () => retrying.call("runtime_report", ready(), { signal }),
    () => port.call("runtime_report", ready()).catch((error: unknown) => report("the hub was not told", error)),
  );
  options.ready?.();
  void calls.run(leftovers.called);
  return await new Agent({ ...options, retrying, intake, tools, gate }).run();
}

/**
 * Tells the hub how it is: one at a time, and once more for all that came meanwhile, since of two at once the earlier might
 * be the last to arrive. Before it is ready there is nothing to tell anew, but for what changes while it is told.
 */
class Readiness {
  #tell: (() => Promise<unknown>) | undefined;
  #is_telling = false;
  #again = false;

  async begin(first: () => Promise<unknown>, tell: () => Promise<unknown>): Promise<void> {
    this.#again = false;
    await first();
    this.#tell = tell;
    if (this.#again) this.changed();
  }

  changed(): void {
    this.#again = true;
    if (this.#tell && !this.#is_telling) void this.#tellAll(this.#tell);
  }

  async #tellAll(tell: () => Promise<unknown>): Promise<void> {
    this.#is_telling = true;
    while (this.#again) {
      this.#again = false;
      await tell();
    }
    this.#is_telling = false;
  }
}

async function goodbye(port: HubPort, fence: number): Promise<void> {
  const args = { fence, lifecycle: "stopped" };
  await port.call("runtime_report", args, { signal: AbortSignal.timeout(GOODBYE_MS) }).catch((error: unknown) => {
    // Whoever took its place, or finds it gone, knows how it is.
    if (!(error instanceof HubError)) throw error;
  });
}

interface Parts extends AgentOptions {
  report: NonNullable<AgentOptions["report"]>;
  retrying: RetryingPort;
  intake: Intake;
  tools: Toolset;
  gate: PolicyGate;
}

/** One turn after the other, each for what came since the last. */
class Agent {
  readonly #parts: Parts;
  #turns = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async run(): Promise<IntakeEnd> {
    const { intake } = this.#parts;
    while (!intake.isOver) await this.#next();
    return intake.over;
  }

  /** A turn, or the wait for something to begin one for. */
  async #next(): Promise<void> {
    const { intake, driver, tools, retrying, signal, gate, report } = this.#parts;
    if (intake.isEmpty || intake.wanted.paused) return intake.changed();
    this.#turns += 1;
    const parts = { known_as: intake.known_as, port: retrying, intake, driver, tools, gate, stop: signal, report };
    try {
      await (await Turn.begin(parts, this.#turns)).run();
    } catch (error) {
      // The intake hears of it too, and ends.
      if (error instanceof HubError && error.code === "RUNTIME_SUPERSEDED") await intake.over;
      else if (!signal.aborted) throw error;
    }
  }
}
