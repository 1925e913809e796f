import { QUESTION_READERS } from "../../context.ts";
import { defineResource } from "../../resource.ts";
import { MOST_LISTED } from "./schema.ts";
import * as service from "./service.ts";

export const resources = [
  defineResource({
    name: "questions",
    title: "Questions",
    description: "What agents asked people, newest first, as get_all_questions gives it.",
    uri: "parley://workspace/questions",
    mime: "application/json",
    roles: QUESTION_READERS,
    facets: ["questions", "workspace"],
    given_by: ["get_all_questions"],
    read: (ctx) => service.listAll(ctx, { limit: MOST_LISTED }),
    watch: async () => ({ places: [{ topic: service.TOPIC }] }),
  }),
];
