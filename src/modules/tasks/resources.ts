import { ONLOOKERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import { LookAtBoard } from "./schema.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "tasks",
    title: "The board of tasks",
    description: "Tasks by state, with what holds each one back, as task_board gives them.",
    uri: "parley://tasks",
    mime: "application/json",
    roles: ONLOOKERS,
    facets: ["tasks"],
    read: (ctx) => service.board(ctx, LookAtBoard.parse({})),
    watch: async () => ({ places: [{ topic: service.TOPIC, merged: true }] }),
  }),
];
