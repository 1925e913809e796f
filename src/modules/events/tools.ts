import { READERS } from "../../context.ts";
import { defineTool } from "../../tool.ts";
import { AskWhy, Why } from "./schema.ts";
import * as service from "./service.ts";

export const tools = [
  defineTool({
    name: "event_why",
    title: "Say why something happened",
    description:
      "Says what led to a message, a mail, a notice or another event, step by step back to the first, and what it led to itself.",
    roles: READERS,
    facets: ["mail", "approvals", "admin"],
    input: AskWhy,
    output: Why,
    run: service.why,
  }),
];
