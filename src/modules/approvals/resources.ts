import { ONLOOKERS, READERS } from "../../context.ts";
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
  defineResource({
    name: "policy",
    title: "Policy",
    description: "Which tool calls are allowed, asked about or denied here, as policy_get gives it.",
    uri: "parley://policy",
    mime: "application/json",
    roles: READERS,
    facets: ["approvals"],
    given_by: ["policy_get"],
    read: (ctx) => service.getPolicy(ctx, {}),
    watch: async () => ({ places: [{ topic: service.TOPIC, types: [service.POLICY_CHANGED] }] }),
  }),
];
