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
      inputSchema: jsonSchema(takesKey(tool) ? tool.input.extend({ idempotency_key }) : tool.input, "input"),
      outputSchema: jsonSchema(tool.output, "output"),
      annotations: { readOnlyHint: tool.effect !== "write", openWorldHint: false },
    };
    this.#listed.set(tool, listed);
    return listed;
  }
}

/** Taken by `call` before the tool sees its arguments; without it here a careful client would not dare send one. */
const idempotency_key = z.string().optional();
const takesKey = ({ effect, secret }: Tool): boolean => effect === "write" && !secret;

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Listed["inputSchema"] {
  // `$schema` would name what is the default anyway, once a tool, in every model's context.
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  // Tools take and give objects: `Tool.input` is one by type, an output that is none fails the test of the contract.
  return rest as Listed["inputSchema"];
}
