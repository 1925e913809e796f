import { TRIGGER_READERS } from "../../context.ts";
import { defineResource, type Watch } from "../../resource.ts";
import * as service from "./service.ts";

// One function for all who watch: a door works out once what everybody with the same one is told.
const anything: Watch["hint"] = () => ({});

export const resources = [
  defineResource({
    name: "triggers",
    title: "Triggers",
    description:
      "All triggers, as trigger_list gives them. It changes when one does, and when one fires or is through.",
    uri: "parley://triggers",
    mime: "application/json",
    roles: TRIGGER_READERS,
    facets: ["triggers"],
    read: (ctx) => service.list(ctx, {}),
    watch: async () => ({ places: [{ topic: service.TOPIC, merged: true }], hint: anything }),
  }),
];
