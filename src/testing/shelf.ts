/** A module with a tool and a resource of the facet `workspace`, for what is promised of everything in that facet. */
import { z } from "zod";
import { READERS, WRITERS } from "../context.ts";
import type { Module } from "../module.ts";
import { defineResource } from "../resource.ts";
import { defineTool } from "../tool.ts";

const facets = ["workspace"] as const;
const Where = z.object({ space: z.string() });

export const shelf = {
  name: "shelf",
  servers: [],
  tools: [
    defineTool({
      name: "shelf_look",
      title: "Look at the shelf",
      description: "Says whose shelf it is.",
      roles: READERS,
      facets,
      input: z.strictObject({}),
      output: Where,
      run: async ({ actor }) => ({ space: actor.space_id }),
    }),
    defineTool({
      name: "shelf_put",
      title: "Put something on the shelf",
      description: "Says on whose shelf it was put.",
      roles: WRITERS,
      facets: ["questions"],
      writes: true,
      input: z.strictObject({}),
      output: Where,
      run: async ({ actor }) => ({ space: actor.space_id }),
    }),
  ],
  resources: [
    defineResource({
      name: "shelf",
      title: "The shelf",
      description: "Whose it is.",
      uri: "parley://shelf",
      mime: "application/json",
      roles: READERS,
      facets,
      read: async ({ actor }) => ({ space: actor.space_id }),
      watch: async () => ({ places: [{ topic: "shelf" }], hint: () => ({}) }),
    }),
  ],
  tables: [],
} satisfies Module;
