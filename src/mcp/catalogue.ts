import type { ListResourcesResult, ListResourceTemplatesResult, ListToolsResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Actor } from "../context.ts";
import type { Hub } from "../hub.ts";
import type { Facet, Tool } from "../tool.ts";

type Listed = ListToolsResult["tools"][number];

interface Lists {
  tools: ListToolsResult;
  resources: ListResourcesResult;
  templates: ListResourceTemplatesResult;
}

/** What there is for whom. It depends on roles and facet only, so each answer is built once. */
export class Catalogue {
  readonly #hub: Hub;
  readonly #listed = new Map<Tool, Listed>();
  readonly #lists = new Map<string, Lists>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  for(actor: Actor, facet: Facet | undefined): Lists {
    const key = `${facet ?? ""} ${[...actor.roles].sort().join()}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const lists = this.#build(actor, facet);
    this.#lists.set(key, lists);
    return lists;
  }

  #build(actor: Actor, facet: Facet | undefined): Lists {
    const resources = this.#hub.resources.list(actor, facet).map(({ uri, name, title, description, mime }) => ({
      uri,
      about: { name, title, description, mimeType: mime },
    }));
    const isTemplate = ({ uri }: { uri: string }): boolean => uri.includes("{");
    return {
      tools: { tools: this.#hub.tools.list(actor, facet).map((tool) => this.#describe(tool)) },
      resources: { resources: resources.filter((r) => !isTemplate(r)).map(({ uri, about }) => ({ uri, ...about })) },
      templates: {
        resourceTemplates: resources.filter(isTemplate).map(({ uri, about }) => ({ uriTemplate: uri, ...about })),
      },
    };
  }

  #describe(tool: Tool): Listed {
    const known = this.#listed.get(tool);
    if (known) return known;
    const listed: Listed = {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: jsonSchema(takesKey(tool) ? tool.input.extend({ idempotency_key }) : tool.input),
      outputSchema: outline(tool.output),
      annotations: { readOnlyHint: tool.effect !== "write", openWorldHint: false },
    };
    this.#listed.set(tool, listed);
    return listed;
  }
}

/** Taken by `call` before the tool sees its arguments; without it here a careful client would not dare send one. */
const idempotency_key = z.string().optional();
const takesKey = ({ effect, secret }: Tool): boolean => effect === "write" && !secret;

function jsonSchema(schema: z.ZodObject): Listed["inputSchema"] {
  // `$schema` would name what is the default anyway, once a tool, in every model's context.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  // It is the schema of an object, by the type above.
  return rest as Listed["inputSchema"];
}

/**
 * Which fields a result has and of which type, without what is inside them: a model reads every list before it does
 * anything, and whole results were two thirds of it. The reference and `/openapi.json` have them in full.
 */
function outline(output: z.ZodType): Listed["inputSchema"] {
  const { properties = {} } = z.toJSONSchema(output, { unrepresentable: "any" });
  const types = Object.entries(properties).map(([name, schema]) => [name, { ...typesOf(schema) }]);
  return { type: "object", properties: Object.fromEntries(types) };
}

type Schema = z.core.JSONSchema._JSONSchema;

function typesOf(schema: Schema): { type?: string | string[] } {
  if (typeof schema === "boolean") return {};
  const types = new Set((schema.anyOf ?? [schema]).flatMap((one) => (typeof one === "boolean" ? undefined : one.type)));
  const known = [...types].filter((type) => type !== undefined);
  // Of one of several that may be anything, nothing can be said.
  if (known.length === 0 || known.length < types.size) return {};
  return { type: known.length === 1 && known[0] ? known[0] : known };
}
