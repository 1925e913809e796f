import { TRIGGER_READERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

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
    given_by: ["trigger_list"],
    read: (ctx) => service.list(ctx, {}),
    watch: async () => ({ places: [{ topic: service.TOPIC, merged: true }] }),
  }),
];
