import { MAIN_SPACE } from "../../db/open.ts";
import type { OpenRoute } from "../../route.ts";
import { MOST_PAYLOAD_BYTES, Received } from "./schema.ts";
import * as service from "./service.ts";

const common = { method: "POST", most_bytes: MOST_PAYLOAD_BYTES, response: Received } as const;

const limitOf = (space: string, name: string): string => `webhook ${space} ${name}`;

export const routes: readonly OpenRoute[] = [
  {
    ...common,
    path: "/api/webhook/:name",
    limited: ({ name = "" }) => limitOf(MAIN_SPACE, name),
    summary: "Fire a webhook trigger of the permanent space",
    open: (ctxOf, { params, ...signed }) => service.receive(ctxOf(MAIN_SPACE), params.name ?? "", signed),
  },
  {
    ...common,
    path: "/api/webhook/:in/:name",
    limited: ({ in: space = "", name = "" }) => limitOf(space, name),
    summary: "Fire a webhook trigger of another space",
    open: (ctxOf, { params, ...signed }) => service.receive(ctxOf(params.in ?? ""), params.name ?? "", signed),
  },
];
