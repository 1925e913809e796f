import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "agents",
    title: "Agents",
    description: "The agents of this space with what they are doing, as agent_list gives them.",
    uri: "ui://agents",
    mime: "application/json",
    roles: ["admin", "human", "observer"],
    facets: ["chat-human"],
    read: (ctx) => service.list(ctx, { all: false }),
    watch: async () => ({ places: [{ topic: "agent" }], hint: changed }),
  }),
];

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed = (): Record<string, never> => ({});
