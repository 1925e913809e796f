import type { ListResourcesResult, ListResourceTemplatesResult, ListToolsResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Actor, has } from "../context.ts";
import type { Hub } from "../hub.ts";
import { namesOf } from "../resource.ts";
import type { Facets, Tool } from "../tool.ts";
import { inputSchemaOf } from "../tool-schema.ts";

type Listed = ListToolsResult["tools"][number];

interface Lists {
  tools: ListToolsResult;
  resources: ListResourcesResult;
  templates: ListResourceTemplatesResult;
}

/** What there is for whom. It depends on roles and address only, so each answer is built once. */
export class Catalogue {
  readonly #hub: Hub;
  readonly #listed = { reading: new Map<Tool, Listed>(), changing: new Map<Tool, Listed>() };
  readonly #lists = new Map<string, Lists>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  for(actor: Actor, facets: Facets): Lists {
    const key = `${facets ?? ""} ${[...actor.roles].sort().join()}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const lists = this.#build(actor, facets);
    this.#lists.set(key, lists);
    return lists;
  }

  #build(actor: Actor, facets: Facets): Lists {
    const resources = this.#hub.resources.list(actor, facets).flatMap((resource) => {
      const { name, title, description, mime } = resource;
      return namesOf(resource).map((uri) => ({ uri, about: { name, title, description, mimeType: mime } }));
    });
    const isTemplate = ({ uri }: { uri: string }): boolean => uri.includes("{");
    return {
      tools: { tools: this.#hub.tools.list(actor, facets).map((tool) => this.#describe(tool, actor)) },
      resources: { resources: resources.filter((r) => !isTemplate(r)).map(({ uri, about }) => ({ uri, ...about })) },
      templates: {
        resourceTemplates: resources.filter(isTemplate).map(({ uri, about }) => ({ uriTemplate: uri, ...about })),
      },
    };
  }

  #describe(tool: Tool, actor: Actor): Listed {
    const readOnlyHint = !tool.writes && !has(actor, ...(tool.receipts ?? []));
    const listed_as = this.#listed[readOnlyHint ? "reading" : "changing"];
    const known = listed_as.get(tool);
    if (known) return known;
    const listed: Listed = {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: inputSchemaOf(tool),
      outputSchema: outline(tool.output),
      annotations: { readOnlyHint, openWorldHint: false },
    };
    listed_as.set(tool, listed);
    return listed;
  }
}

/**
 * Which fields a result has and of which type, without what is inside them: a model reads every list before it does
 * anything, and whole results were two thirds of it. The reference and `/openapi.json` have them in full.
 */
function outline(output: z.ZodType): Listed["inputSchema"] {
  const { properties = {} } = z.toJSONSchema(output, { unrepresentable: "any" });
  const types = Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)]);
  return { type: "object", properties: Object.fromEntries(types) };
}

type Schema = z.core.JSONSchema._JSONSchema;

function typeOf(schema: Schema): { type?: string } {
  if (typeof schema === "boolean") return {};
  const types = new Set((schema.anyOf ?? [schema]).flatMap((one) => (typeof one === "boolean" ? undefined : one.type)));
  const [type] = types;
  // Of one that may have several types nothing is said: some clients cannot read a list of them.
  return types.size === 1 && type !== undefined ? { type } : {};
}
