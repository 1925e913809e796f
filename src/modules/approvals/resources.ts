import { ONLOOKERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "approvals",
    title: "Approvals",
    description: "What agents asked to do and what was decided, newest first, as approval_list gives it.",
    uri: "parley://approvals",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["approvals"],
    read: (ctx) => service.list(ctx, { limit: 100 }),
    watch: async () => ({ places: [{ topic: service.TOPIC }] }),
  }),
];
