import { type Actor, has } from "./context.ts";
import { ParleyError } from "./errors.ts";
import type { Module } from "./module.ts";
import { FACETS, type Facet, type Tool } from "./tool.ts";

/** Every tool of every module, by name, by alias and by what a role may see. */
export class Toolbox {
  readonly all: readonly Tool[];
  readonly #byName = new Map<string, { tool: Tool; module: Module }>();
  readonly #servers = new Map<string, Module>();

  constructor(modules: readonly Module[]) {
    this.all = modules.flatMap((module) => module.tools).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const module of modules) {
      for (const server of [module.name, ...module.servers]) this.#servers.set(server, module);
      for (const tool of module.tools)
        for (const name of [tool.name, ...tool.aliases]) {
          if (this.#byName.has(name)) throw new Error(`two tools answer to ${name}`);
          this.#byName.set(name, { tool, module });
        }
    }
  }

  /** By name or alias, whatever is listed where. */
  find(name: string): Tool {
    const found = this.lookUp(name);
    if (!found)
      throw new ParleyError(
        "UNKNOWN_TOOL",
        `There is no tool ${JSON.stringify(name.slice(0, 80))}. List the tools to see what there is.`,
      );
    return found;
  }

  /** The same; undefined where there is none. */
  lookUp(name: string): Tool | undefined {
    return this.#byName.get(name)?.tool;
  }

  /** As `POST /api/mcp/call` names it. */
  findOn(server: string, name: string): Tool {
    const module = this.#servers.get(server);
    if (!module) {
      const known = [...this.#servers.keys()].sort().join(", ");
      throw new ParleyError(
        "UNKNOWN_SERVER",
        `There is no server ${JSON.stringify(server.slice(0, 80))}. Known servers: ${known}.`,
      );
    }
    const tool = this.find(name);
    const facet = FACETS.find((facet) => facet === server);
    const isOwn = this.#byName.get(tool.name)?.module === module && (!facet || tool.facets.includes(facet));
    // What `/mcp/<facet>` lists of another module, such as questions with the workspace.
    const isListed = tool.facets.some((listed) => listed === module.name);
    if (!isOwn && !isListed)
      throw new ParleyError(
        "UNKNOWN_TOOL",
        `Server ${JSON.stringify(server)} has no tool ${JSON.stringify(name.slice(0, 80))}.`,
      );
    return tool;
  }

  /** What the actor's roles may use, in an order that never changes: all of these facets, or the core. */
  list(actor: Actor, facets?: readonly Facet[]): Tool[] {
    const isCore = ({ core = false }: Tool): boolean => core === true || (core !== false && has(actor, ...core));
    const isListed = (tool: Tool): boolean =>
      facets ? tool.facets.some((facet) => facets.includes(facet)) : isCore(tool);
    return this.all.filter((tool) => !tool.unlisted && has(actor, ...tool.roles) && isListed(tool));
  }
}
