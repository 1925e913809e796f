/**
 * The tools that a model has beside the hub's: those of the servers that are mounted, as `{server}_{tool}`. A server that
 * fails takes nothing with it, and is tried again under its name.
 */
import type { ModelCall, ToolSpec } from "../drivers/driver.ts";
import { RESOURCES } from "../resource-tools.ts";
import {
  type CallContext,
  type Changed,
  type Found,
  failure,
  HUB,
  type Mounts,
  type Origin,
  type ToolResult,
  type Toolset,
} from "../toolset.ts";
import { Mount } from "./mount.ts";
import { MountedResources } from "./mounted-resources.ts";
import type { MountSpec } from "./server.ts";

/** For so long a start waits for servers that do not answer. */
const SETTLE_MS = 15_000;
/** `ui_send_message` is the hub's. */
const V1 = "ui";

export interface CompositorOptions {
  hub: Toolset;
  /** Told at each change of what is mounted; never before the constructor is through. */
  changed: () => void;
  pace?: { first_ms: number; most_ms: number };
}

export class Compositor implements Toolset, AsyncDisposable {
  readonly #options: CompositorOptions;
  readonly #of_hub: ReadonlySet<string>;
  readonly #mounts = new Map<string, Mount>();
  readonly resources = new MountedResources(this.#mounts);
  #telling = false;
  #stopped = false;

  constructor(options: CompositorOptions) {
    this.#options = options;
    this.#of_hub = new Set(options.hub.list().map(({ name }) => name));
  }

  /** Mounts what is new, unmounts what is missing, and mounts anew what is another; the rest goes on undisturbed. */
  async reconfigure(wanted: ReadonlyMap<string, MountSpec>): Promise<void> {
    for (const name of wanted.keys()) if (this.#isPinned(name)) throw new Error(`${name} is a name of the hub's own.`);
    for (const { name, fingerprint } of [...this.#mounts.values()])
      if (wanted.get(name)?.fingerprint !== fingerprint) await this.unmount(name);
    for (const [name, spec] of wanted) if (!this.#mounts.has(name) && !this.#stopped) this.#mount(name, spec);
  }

  async unmount(name: string): Promise<void> {
    if (this.#isPinned(name)) throw new Error(`${name} is the hub's own, and stays.`);
    const mount = this.#mounts.get(name);
    this.#mounts.delete(name);
    this.#tell();
    await mount?.[Symbol.asyncDispose]();
  }

  /** Until each was there or has failed, or has had its time. */
  async settled(ms = SETTLE_MS): Promise<void> {
    const all = Promise.all([...this.#mounts.values()].map(({ settled }) => settled));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, ms);
    await Promise.race([all, late.promise]);
    clearTimeout(timer);
  }

  list(): readonly ToolSpec[] {
    return [...this.#options.hub.list(), ...[...this.#mounts.values()].flatMap(({ tools }) => tools)];
  }

  originOf(call: Pick<ModelCall, "tool" | "arguments">): Origin | undefined {
    const mount = this.#mountOf(call.tool);
    if (!mount) return this.#options.hub.originOf(call);
    const spec = mount.tools.find(({ name }) => name === call.tool);
    const hints = mount.hintsOf(call.tool);
    return { server: mount.name, mount: mount.fingerprint, input_schema: spec?.input_schema ?? {}, hints };
  }

  find(server: string, tool: string): Found {
    const mount = this.#mounts.get(server);
    if (!mount) {
      const known = [...this.#mounts.keys()].join(", ") || "none";
      return missing({
        code: "UNKNOWN_SERVER",
        error: `There is no server ${shown(server)} among those that are mounted: ${known}.`,
      });
    }
    const { state, error = "It is starting." } = mount.state;
    if (state !== "running")
      return missing({ code: "SERVER_AWAY", error: `${server} is not there just now. ${error}` });
    const alias = mount.aliasOf(tool);
    if (alias !== undefined) return { tool: alias };
    const known = mount.tools.map(({ name }) => name).join(", ");
    return missing({ code: "UNKNOWN_TOOL", error: `${server} has no tool ${shown(tool)}. It has: ${known}.` });
  }

  async call(call: ModelCall, context: CallContext): Promise<ToolResult> {
    const mount = this.#mountOf(call.tool);
    if (mount && mount.fingerprint !== context.mount)
      return failure("SERVER_CHANGED", `${mount.name} is another server since this was let through. Call it again.`);
    if (mount) return mount.call(call, context);
    const away = [...this.#mounts.values()].find(
      ({ name, state }) => call.tool.startsWith(`${name}_`) && state.state !== "running",
    );
    if (away && !this.#of_hub.has(call.tool))
      return failure("SERVER_AWAY", `${away.name} is not there just now. ${away.state.error ?? ""}`);
    return this.#options.hub.call(call, context);
  }

  mounts(): Mounts {
    const own = [...this.#mounts.values()].map(({ name, state }) => [name, state] as const);
    return { ...this.#options.hub.mounts(), ...Object.fromEntries(own) };
  }

  takeChanges(): Changed[] {
    const own = [...this.#mounts.values()].flatMap((mount) => mount.takeChanges());
    return [...this.#options.hub.takeChanges(), ...own];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#mounts.values()].map((mount) => mount[Symbol.asyncDispose]()));
  }

  #mount(name: string, spec: MountSpec): void {
    const { pace } = this.#options;
    const takenBy = (alias: string): string | undefined =>
      this.#of_hub.has(alias)
        ? "the hub"
        : [...this.#mounts.values()].find((mount) => mount.name !== name && mount.has(alias))?.name;
    const wanted = this.resources.wantedOf(name);
    const changed = (): void => this.#tell();
    this.#mounts.set(name, new Mount({ name, spec, takenBy, changed, wanted, ...(pace && { pace }) }));
  }

  #mountOf(tool: string): Mount | undefined {
    return [...this.#mounts.values()].find((mount) => mount.has(tool));
  }

  #isPinned(name: string): boolean {
    return name === HUB || name === V1 || name === RESOURCES || Object.hasOwn(this.#options.hub.mounts(), name);
  }

  /** Once for all that changes in one go. */
  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    queueMicrotask(() => {
      this.#telling = false;
      if (!this.#stopped) this.#options.changed();
    });
  }
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 80));

const missing = ({ code, error }: Extract<Found, { code: string }>): Found => ({
  code,
  error: `${error.slice(0, 1000).toWellFormed()} Nothing was run.`,
});
