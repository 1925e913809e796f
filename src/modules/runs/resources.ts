import { ONLOOKERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import { ListRuns } from "./schema.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "runs",
    title: "Runs",
    description: "The programs that were started, or are to be, as run_list gives them, and whether any are started.",
    uri: "parley://runs",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["triggers"],
    read: (ctx) => service.list(ctx, ListRuns.parse({})),
    watch: async () => ({ places: [{ topic: service.TOPIC, merged: true }] }),
  }),
];
