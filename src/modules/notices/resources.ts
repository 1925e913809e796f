import { ONLOOKERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "needs",
    title: "What needs you",
    description: "What waits for you, as need_list gives it: open notices, and mail that waits for your answer.",
    uri: "parley://needs",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["chat-human"],
    read: service.openNeeds,
    watch: service.watchNeeds,
  }),
];
