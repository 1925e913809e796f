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
    watch: async (ctx) => ({ places: service.doingPlaces(ctx), hint: changed }),
  }),
  defineResource({
    name: "glance",
    title: "A part of what every page shows",
    description: "One part of space_glance: agents, chats, mail, needs. Its hints may name the agent it is about.",
    uri: "ui://glance/{part}",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["chat-human"],
    read: (ctx, { part }) => service.readPart(ctx, part),
    watch: (ctx, { part }) => service.watchPart(ctx, part),
  }),
];

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed = (): Record<string, never> => ({});
