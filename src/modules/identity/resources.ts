import { ONLOOKERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "agents",
    title: "Agents",
    description: "The agents of this space with what they are doing, as agent_list gives them.",
    uri: "ui://agents",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["chat-human"],
    read: (ctx) => service.list(ctx, { all: false }),
    watch: async (ctx) => ({ places: service.doingPlaces(ctx) }),
  }),
  defineResource({
    name: "glance",
    title: "What every page shows",
    description: "The parts of space_glance. Its hints say which of them may have changed, and of which agent.",
    uri: "ui://glance",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["chat-human"],
    read: service.glanceAtAll,
    watch: service.watchGlance,
  }),
];
