/** The tools of before there was a chat to post to and a loop to yield: `--compat v1`. */
import { currentName, V1_NAMES } from "../old-names.ts";
import type { ModelCall, ToolSpec } from "./drivers/driver.ts";
import type { CallContext, Changed, Mounts, Origin, ToolResult, Toolset } from "./toolset.ts";

/** Beside all others, under their old names. */
export class V1Tools implements Toolset {
  readonly #tools: Toolset;

  constructor(tools: Toolset) {
    this.#tools = tools;
  }

  list(): readonly ToolSpec[] {
    const all = this.#tools.list();
    const old = Object.entries(V1_NAMES).flatMap(([name, now]) => {
      const spec = all.find((tool) => tool.name === now);
      return spec ? [{ ...spec, name, description: `Deprecated: use ${now}. ${spec.description}` }] : [];
    });
    return [...all, ...old];
  }

  call(call: ModelCall, context: CallContext): Promise<ToolResult> {
    return this.#tools.call({ ...call, tool: currentName(call.tool) }, context);
  }

  originOf(call: ModelCall): Origin | undefined {
    return this.#tools.originOf({ ...call, tool: currentName(call.tool) });
  }

  mounts(): Mounts {
    return this.#tools.mounts();
  }

  takeChanges(): Changed[] {
    return this.#tools.takeChanges();
  }
}
